import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import {
  type ListImport as ListImportMessage,
  ListImportSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Actor_Kind, type ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { ImportState, ListImport } from "./list-documents.ts";
import { listVersionMessage } from "./wire.ts";

const stateNames: Readonly<Record<ImportState, string>> = {
  reading: "running",
  committing: "running",
  in_force: "in_force",
  superseded: "superseded",
  refused: "refused",
  failed: "failed",
};

const actorKinds: Readonly<Record<StoredActor["kind"], Actor_Kind>> = {
  api_key: Actor_Kind.API_KEY,
  operator: Actor_Kind.OPERATOR,
  service: Actor_Kind.SERVICE,
};

function actorShape({ kind, id }: StoredActor): MessageInitShape<typeof ActorSchema> {
  return { kind: actorKinds[kind], id };
}

/** An import as the contract writes it. */
export function listImportMessage(each: ListImport): ListImportMessage {
  return create(ListImportSchema, {
    id: each.version.importId,
    version: listVersionMessage(each.version),
    state: stateNames[each.state],
    change: each.change,
    problem: each.problem,
    actor: actorShape(each.actor),
    startedAt: timestampFromDate(each.startedAt),
  });
}
