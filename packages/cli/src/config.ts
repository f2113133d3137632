/** The environment of this process; what of it is used is in `session/target.ts`. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;
