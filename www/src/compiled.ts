/** A module as the page holds it, compiled. */
export async function compiled(gzipBase64: string): Promise<WebAssembly.Module> {
  const gzip = Uint8Array.from(atob(gzipBase64), (c) => c.charCodeAt(0));
  const stream = new Blob([gzip]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}
