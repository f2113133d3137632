/**
 * Maximum nesting depth of a body. The deepest form has 3 levels. The limit protects the parser's
 * stack.
 */
export const bodyDepthMax = 10;
/** Maximum keys in a body. The longest form, with 20 company owners, has about 200 fields. */
export const bodyKeysMax = 200;
