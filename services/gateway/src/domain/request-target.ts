/**
 * Visible ASCII without `#`, beginning with a slash: a fragment is never sent (RFC 9112 §3.2.1),
 * and URL libraries disagree about everything else.
 */
const originForm = /^\/[!-"$-~]*$/;
/** No path or query of ours has them, and they confuse whoever logs them. */
const controls = /\p{Cc}/u;

/**
 * What is wrong with a request target, for the merchant, or `undefined`. Only the origin form is
 * served (RFC 9112 §3.2.1): a path and a query, well percent-encoded UTF-8, without control
 * characters.
 */
export function targetProblem(target: string): string | undefined {
  if (!originForm.test(target)) return "The request target must be a path.";
  let decoded: string;
  try {
    decoded = decodeURIComponent(target);
  } catch {
    return "The request target is not well percent-encoded.";
  }
  return controls.test(decoded) ? "The request target has control characters." : undefined;
}
