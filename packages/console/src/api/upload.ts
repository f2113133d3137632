import { create, fromBinary, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { endStreamFromJson, errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import {
  ComplianceService,
  type ImportListRequest,
  ImportListRequest_FileSchema,
  ImportListRequest_HeaderSchema,
  ImportListRequestSchema,
  type ImportListResponse,
  ImportListResponseSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Problem } from "./problem.ts";
import { currentCsrfToken } from "./request.ts";
import { answerOf, proxyPath } from "./rpc.ts";

export type NamedFile = { readonly name: string; readonly file: File };

/** The service refuses more. */
export const uploadBytesMax = 134_217_728;
/** The proxy accepts messages of 1 MiB. */
const pieceBytes = 524_288;
/** The number of the field `lines`. */
const linesField = ImportListRequestSchema.field.lines.number;
const headBytes = 5;
const endFlag = 2;

/**
 * Imports a list, or compares it. `onSent` gets the sent part, from 0 to 1. Browsers can't stream a
 * request, so all messages are one body, which refers to the files and is read while it is sent.
 */
export function importList(
  header: JsonObject,
  files: readonly NamedFile[],
  onSent: (part: number) => void,
): Promise<ImportListResponse> {
  const answer = new Promise<ImportListResponse>((resolve, reject) => {
    // `fetch` doesn't tell the progress of a request.
    const request = new XMLHttpRequest();
    request.open("POST", `${proxyPath}/${ComplianceService.typeName}/ImportList`);
    request.responseType = "arraybuffer";
    request.setRequestHeader("Content-Type", "application/connect+proto");
    request.setRequestHeader("Connect-Protocol-Version", "1");
    request.setRequestHeader("X-CSRF-Token", currentCsrfToken());
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total);
    request.onerror = () => reject(Problem.noAnswer(new Error("the upload got no answer")));
    request.onload = () => {
      try {
        resolve(answerIn(request.status, new Uint8Array(request.response as ArrayBuffer)));
      } catch (error) {
        reject(error);
      }
    };
    request.send(bodyOf(header, files));
  });
  return answerOf(answer);
}

function bodyOf(header: JsonObject, files: readonly NamedFile[]): Blob {
  const read = fromJson(ImportListRequest_HeaderSchema, header);
  const parts: BlobPart[] = message({ case: "header", value: read });
  for (const { name, file } of files) {
    if (name !== "") {
      parts.push(
        ...message({ case: "file", value: create(ImportListRequest_FileSchema, { name }) }),
      );
    }
    for (let at = 0; at < file.size; at += pieceBytes) {
      const piece = file.slice(at, at + pieceBytes);
      const tag = new BinaryWriter().tag(linesField, WireType.LengthDelimited).uint32(piece.size);
      const start = tag.finish() as Uint8Array<ArrayBuffer>;
      parts.push(headOf(start.length + piece.size), start, piece);
    }
  }
  return new Blob([...parts, ...message({ case: "end", value: true })]);
}

function message(part: ImportListRequest["part"]): BlobPart[] {
  const bytes = toBinary(ImportListRequestSchema, create(ImportListRequestSchema, { part }));
  return [headOf(bytes.length), bytes as Uint8Array<ArrayBuffer>];
}

/** The head of a message in Connect's streams: a byte of flags, and the length. */
function headOf(length: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(headBytes);
  new DataView(head.buffer).setUint32(1, length);
  return head;
}

/** Reads a response: a message, and an end that may have an error. */
function answerIn(status: number, bytes: Uint8Array<ArrayBuffer>): ImportListResponse {
  const lost = new ConnectError("the upload has no result", Code.Unknown);
  if (status !== 200) throw errorFromJsonBytes(bytes, undefined, lost);
  let answer: ImportListResponse | undefined;
  for (let at = 0; at < bytes.length; ) {
    const data = at + headBytes;
    const next = data + new DataView(bytes.buffer).getUint32(at + 1);
    const content = bytes.subarray(data, next);
    if (((bytes[at] ?? 0) & endFlag) === 0) answer = fromBinary(ImportListResponseSchema, content);
    else {
      const { error } = endStreamFromJson(content);
      if (error !== undefined) throw error;
      if (answer !== undefined) return answer;
    }
    at = next;
  }
  throw lost;
}
