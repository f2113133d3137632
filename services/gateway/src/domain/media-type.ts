import { MIMEType } from "node:util";

function parse(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    // The only thing that its constructor throws is "invalid MIME type".
    return undefined;
  }
}

/** Whether a body with these headers is one that we read: JSON in UTF-8, not compressed. */
export function isPlainJson(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): boolean {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity") {
    return false;
  }
  const type = parse(contentType ?? "");
  const charset = type?.params.get("charset") ?? "utf-8";
  return type?.essence === "application/json" && charset.toLowerCase() === "utf-8";
}
