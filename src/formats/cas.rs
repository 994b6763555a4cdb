//! A UIMA CAS as XMI and JSON files hold it: annotations of a text, in layers (types), with features. What a
//! layer is called and which feature is the label differs from project to project; [`super::uima`] chooses.

use super::Reading;
use super::uima::{self, Layer};
use crate::corpus::problems::Kind;
use crate::corpus::text::{Digest, Piece};
use crate::corpus::{Argument, Class, Detail, Relation};
use rustc_hash::FxHashMap;

/// A text that annotations are of.
pub(super) struct Sofa {
    pub id: i64,
    /// Name of its view.
    pub name: String,
    pub text: Option<(Piece, Digest)>,
}

/// A feature structure as its file has it.
#[derive(Default)]
pub(super) struct Structure {
    /// Name of its type, with the package.
    pub kind: String,
    pub id: i64,
    pub line: u64,
    /// Features with their values as text.
    pub features: Vec<(String, String)>,
    /// Features that refer to others, where the file tells.
    pub references: Vec<(String, Vec<i64>)>,
}

impl Structure {
    fn get(&self, name: &str) -> Option<&str> {
        self.features.iter().find(|feature| feature.0 == name).map(|feature| feature.1.as_str())
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.get(name)?.trim().parse().ok()
    }

    /// What a feature refers to. XMI writes references as numbers.
    fn reference(&self, name: &str) -> Option<Vec<i64>> {
        if let Some((_, ids)) = self.references.iter().find(|reference| reference.0 == name) {
            return Some(ids.clone());
        }
        self.get(name)?.split_whitespace().map(|id| id.parse().ok()).collect()
    }

    fn one(&self, name: &str) -> Option<i64> {
        self.reference(name)?.first().copied()
    }
}

/// An annotation with a place.
struct Annotation {
    kind: usize,
    id: i64,
    sofa: i64,
    line: u64,
    start: i64,
    end: i64,
    /// Feature of the type and value.
    values: Vec<(usize, String)>,
    /// Structures that hold its concepts.
    concepts: Vec<i64>,
}

/// A label of the whole document.
struct Whole {
    kind: usize,
    values: Vec<(usize, String)>,
}

struct Link {
    line: u64,
    label: String,
    ends: [(String, i64); 2],
}

struct Type {
    name: String,
    features: Vec<String>,
    is_structure: bool,
    count: u64,
}

/// What was read of a file.
#[derive(Default)]
pub(super) struct Cas {
    sofas: Vec<Sofa>,
    /// Members of views, by the view's sofa.
    views: Vec<(i64, Vec<i64>)>,
    types: Vec<Type>,
    known: FxHashMap<String, usize>,
    annotations: Vec<Annotation>,
    wholes: Vec<Whole>,
    links: Vec<Link>,
    /// Concept ids by structure.
    concepts: FxHashMap<i64, Vec<String>>,
    /// Lists that are structures of their own.
    arrays: FxHashMap<i64, Vec<i64>>,
    /// Arguments of relations that are structures of their own.
    arguments: FxHashMap<i64, i64>,
    /// The id that the document gives itself: its title, or else its id.
    title: Option<String>,
    name: Option<String>,
}

/// Features that are bookkeeping.
static INTERNAL: &[&str] = &[
    "sofa",
    "begin",
    "end",
    "id",
    "typeID",
    "segmentID",
    "segment",
    "sentenceID",
    "discoveryTechnique",
    "ontologyConceptArr",
    "order",
];

/// The ends of relations, as INCEpTION, custom layers and cTAKES name them.
static ENDS: &[(&str, &str)] =
    &[("Governor", "Dependent"), ("governor", "dependent"), ("source", "target"), ("arg1", "arg2")];

impl Cas {
    /// Adds a text.
    pub fn sofa(&mut self, sofa: Sofa) {
        self.sofas.push(sofa);
    }

    /// Adds the members of a view.
    pub fn view(&mut self, sofa: i64, members: Vec<i64>) {
        self.views.push((sofa, members));
    }

    /// Adds a list.
    pub fn array(&mut self, id: i64, elements: Vec<i64>) {
        self.arrays.insert(id, elements);
    }

    /// Adds a structure; lists what is wrong with it.
    pub fn add(&mut self, structure: Structure, reading: &mut Reading<'_>) {
        let name = uima::short(&structure.kind);
        match name {
            "DocumentMetaData" => {
                self.title = structure.get("documentTitle").map(str::to_owned).or(self.title.take());
                self.name = structure.get("documentId").map(str::to_owned).or(self.name.take());
                return;
            }
            // cTAKES.
            "DocumentID" => {
                self.name = structure.get("documentID").map(str::to_owned).or(self.name.take());
                return;
            }
            "RelationArgument" => {
                if let Some(of) = structure.one("argument") {
                    self.arguments.insert(structure.id, of);
                }
                return;
            }
            _ => {}
        }
        let kind = self.kind(&structure.kind);
        self.types[kind].count += 1;
        let bounds = (structure.get("begin"), structure.get("end"));
        if let (None, None) = bounds {
            self.placeless(kind, structure);
            return;
        }
        if self.types[kind].is_structure {
            return;
        }
        if self.link(&structure) {
            return;
        }
        let (Some(start), Some(end)) = (structure.number("begin"), structure.number("end")) else {
            let place = reading.at(structure.line);
            let found = format!("a {name} whose begin and end are not whole numbers");
            reading.corpus.problems.add(Kind::BadSpan, place, found, "begin and end");
            return;
        };
        let concepts = structure.reference("ontologyConceptArr").unwrap_or_default();
        let sofa = structure.one("sofa").unwrap_or(0);
        let (id, line) = (structure.id, structure.line);
        let values = self.values(kind, structure);
        self.annotations.push(Annotation { kind, id, sofa, line, start, end, values, concepts });
    }

    /// A structure without a place: concepts, relations of cTAKES, labels of the document.
    fn placeless(&mut self, kind: usize, structure: Structure) {
        let ids: Vec<String> = ["cui", "code"]
            .iter()
            .filter_map(|name| structure.get(name).filter(|id| !id.is_empty()).map(str::to_owned))
            .collect();
        if !ids.is_empty() {
            self.types[kind].count -= 1;
            self.concepts.insert(structure.id, ids);
        } else if self.link(&structure) {
        } else if !self.types[kind].is_structure && structure.one("sofa").is_some() {
            let values = self.values(kind, structure);
            self.wholes.push(Whole { kind, values });
        } else {
            self.types[kind].count -= 1;
        }
    }

    /// Takes a structure that relates two others.
    fn link(&mut self, structure: &Structure) -> bool {
        let ends = ENDS.iter().find_map(|&(from, to)| {
            Some([(from.to_owned(), structure.one(from)?), (to.to_owned(), structure.one(to)?)])
        });
        let Some(ends) = ends else { return false };
        let names = ["value", "label", "category", "relationType", "DependencyType"];
        let label = names.iter().find_map(|name| structure.get(name));
        let label = label.unwrap_or(uima::short(&structure.kind)).to_owned();
        self.links.push(Link { line: structure.line, label, ends });
        true
    }

    fn kind(&mut self, name: &str) -> usize {
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let is_structure = uima::is_structure(name);
        self.types.push(Type { name: name.to_owned(), features: Vec::new(), is_structure, count: 0 });
        self.known.insert(name.to_owned(), self.types.len() - 1);
        self.types.len() - 1
    }

    fn values(&mut self, kind: usize, structure: Structure) -> Vec<(usize, String)> {
        let features = &mut self.types[kind].features;
        let mut values = Vec::new();
        for (name, value) in structure.features {
            if INTERNAL.contains(&name.as_str()) {
                continue;
            }
            let at = features.iter().position(|known| *known == name).unwrap_or_else(|| {
                features.push(name);
                features.len() - 1
            });
            values.push((at, value));
        }
        values
    }

    /// The id that the document gives itself.
    pub fn title(&mut self) -> Option<String> {
        self.title.take().or(self.name.take()).filter(|title| !title.trim().is_empty())
    }

    /// Moves everything into the corpus, as one document.
    pub fn finish(self, mut reading: Reading<'_>, id: String) {
        let document = reading.corpus.documents.len() as u32;
        reading.corpus.begin(reading.file, Some(id.clone()), 0);
        let sofa = self.chosen();
        if let Some((piece, digest)) = sofa.and_then(|sofa| sofa.text) {
            reading.corpus.set_text(&[piece], digest);
        }
        let members: Option<rustc_hash::FxHashSet<i64>> = sofa.and_then(|sofa| {
            let list = &self.views.iter().find(|view| view.0 == sofa.id)?.1;
            (!list.is_empty()).then(|| list.iter().copied().collect())
        });
        let here = |one: &&Annotation| sofa.is_none_or(|sofa| one.sofa == sofa.id || one.sofa == 0);
        let other = self.annotations.iter().filter(|one| !here(one)).count();
        if other > 0 {
            let place = reading.at(0).of(&id);
            let found = format!("{other} annotations of another view");
            reading.corpus.problems.add(Kind::OtherAnnotator, place, found, "the view that is read");
        }
        let labels: Vec<Option<usize>> = (0..self.types.len()).map(|kind| self.label(kind)).collect();
        let several = self.list(&mut reading, &id, &labels);
        let mut spans: FxHashMap<i64, u32> = FxHashMap::default();
        for one in self.annotations.iter().filter(here) {
            if members.as_ref().is_some_and(|members| !members.contains(&one.id)) {
                let place = reading.at(one.line).of(&id);
                let found = "an annotation that is in no view: it was removed";
                reading.corpus.problems.add(Kind::RejectedRecord, place, found, "a member of a view");
                continue;
            }
            spans.insert(one.id, reading.corpus.spans.len() as u32);
            self.push(&mut reading, one, labels[one.kind], several);
        }
        self.classes(&mut reading, &labels);
        for link in &self.links {
            let end = |(role, at): &(String, i64)| {
                let at = self.arguments.get(at).unwrap_or(at);
                spans.get(at).map(|&span| (role.clone(), Argument::Span(span)))
            };
            match (end(&link.ends[0]), end(&link.ends[1])) {
                (Some(from), Some(to)) => reading.corpus.relations.push(Relation {
                    document,
                    label: link.label.clone(),
                    arguments: vec![from, to],
                }),
                _ => {
                    let place = reading.at(link.line).of(&id);
                    let found = "a relation between others than spans";
                    reading.corpus.problems.add(Kind::Relation, place, found, "");
                }
            }
        }
    }

    /// The text that is scored: the initial view's, or the one that most annotations are of.
    fn chosen(&self) -> Option<&Sofa> {
        let uses = |sofa: &Sofa| self.annotations.iter().filter(|one| one.sofa == sofa.id).count();
        let initial = self.sofas.iter().find(|sofa| sofa.name == "_InitialView" && sofa.text.is_some());
        if let Some(initial) = initial.filter(|sofa| uses(sofa) > 0 || self.annotations.is_empty()) {
            return Some(initial);
        }
        let best = self.sofas.iter().rev().max_by_key(|sofa| (uses(sofa), sofa.text.is_some()));
        best.filter(|sofa| uses(sofa) > 0).or(initial).or(best)
    }

    /// The label's feature. cTAKES' types are labels themselves.
    fn label(&self, kind: usize) -> Option<usize> {
        let this = &self.types[kind];
        if this.name.contains(".ctakes.") {
            return None;
        }
        let has = |values: &[(usize, String)], feature: usize, test: fn(&str) -> bool| {
            values.iter().any(|value| value.0 == feature && test(&value.1))
        };
        uima::label_feature(&this.features, |feature, test| {
            self.annotations.iter().any(|one| one.kind == kind && has(&one.values, feature, test))
                || self.wholes.iter().any(|one| one.kind == kind && has(&one.values, feature, test))
        })
    }

    /// Lists the layers; true when there are several of spans.
    fn list(&self, reading: &mut Reading<'_>, id: &str, labels: &[Option<usize>]) -> bool {
        let mut counts = vec![0; self.types.len()];
        self.annotations.iter().for_each(|one| counts[one.kind] += 1);
        let layers: Vec<Layer> = self
            .types
            .iter()
            .enumerate()
            .filter(|(at, this)| counts[*at] > 0 || this.is_structure && !uima::is_scaffold(&this.name))
            .map(|(at, this)| Layer {
                name: uima::short(&this.name).to_owned(),
                label: labels[at].map(|feature| this.features[feature].clone()),
                count: if this.is_structure { this.count } else { counts[at] },
                read: !this.is_structure,
            })
            .collect();
        uima::list_layers(reading, id, &layers);
        layers.iter().filter(|layer| layer.read).count() > 1
    }

    fn push(&self, reading: &mut Reading<'_>, one: &Annotation, label: Option<usize>, several: bool) {
        let this = &self.types[one.kind];
        let name = uima::short(&this.name);
        let mut detail = Detail { line: one.line, ..Detail::default() };
        if several && label.is_some() {
            detail.more().attributes.push(("layer".into(), name.into()));
        }
        let mut chosen = None;
        for (at, value) in &one.values {
            let feature = &this.features[*at];
            if Some(*at) == label && chosen.is_none() {
                chosen = Some(value.as_str()).filter(|value| !value.is_empty());
            } else if uima::is_concept(feature) {
                detail.more().concepts.push(value.clone());
            } else {
                if matches!(feature.as_str(), "confidence" | "score") {
                    detail.score = value.parse().ok();
                }
                detail.more().attributes.push((feature.clone(), value.clone()));
            }
        }
        for id in &one.concepts {
            let single = [*id];
            for id in self.arrays.get(id).map_or(&single[..], Vec::as_slice) {
                for concept in self.concepts.get(id).into_iter().flatten() {
                    let concepts = &mut detail.more().concepts;
                    if !concepts.contains(concept) {
                        concepts.push(concept.clone());
                    }
                }
            }
        }
        let label = reading.corpus.labels.intern(chosen.unwrap_or(name));
        reading.corpus.push(one.start, one.end, label, detail);
    }

    /// Labels of the whole document, where a layer without places has some.
    fn classes(&self, reading: &mut Reading<'_>, labels: &[Option<usize>]) {
        if self.wholes.is_empty() {
            return;
        }
        let corpus = &mut *reading.corpus;
        let start = corpus.classes.len() as u32;
        for whole in &self.wholes {
            let value = whole.values.iter().find(|value| Some(value.0) == labels[whole.kind]);
            let value = value.map_or(uima::short(&self.types[whole.kind].name), |value| value.1.as_str());
            let label = corpus.labels.intern(value);
            corpus.classes.push(Class { label, score: None });
        }
        let end = corpus.classes.len() as u32;
        if let Some(document) = corpus.documents.last_mut() {
            document.classes = Some(start..end);
        }
    }
}
