import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ListVersionSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { ListVersion } from "./rules/version.ts";

export function listVersionShape(version: ListVersion): MessageInitShape<typeof ListVersionSchema> {
  const { importId: _importId, importedAt, ...rest } = version;
  return { ...rest, importedAt: timestampFromDate(importedAt) };
}
