// Trusted Types, as far as the page uses them: TypeScript's own DOM types leave them out.

interface TrustedScriptURL {
  toString(): string;
}

interface Window {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(text: string): string },
    ): { createScriptURL(text: string): TrustedScriptURL };
  };
}
