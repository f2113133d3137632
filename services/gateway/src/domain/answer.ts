/**
 * What a request is answered with; the body is JSON text, so that a stored one is replayed byte for
 * byte.
 */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
