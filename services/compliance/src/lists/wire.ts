import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import {
  type ListImport as ListImportMessage,
  ListImportSchema,
  type ListSource as ListSourceMessage,
  ListSourceSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Actor_Kind, type ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { listVersionMessage } from "../screening/wire.ts";
import type { ImportState, ListImport } from "./documents.ts";
import { formatCodes } from "./imports/request.ts";
import { locationShown, type SourceSetting } from "./sources/setting.ts";
import type { SourceState } from "./sources/store.ts";

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
    notes: [...each.notes],
    actor: actorShape(each.actor),
    startedAt: timestampFromDate(each.startedAt),
  });
}

/** A source as the contract writes it; one that was never checked has no state. */
export function listSourceMessage(
  setting: SourceSetting,
  state: SourceState | undefined,
): ListSourceMessage {
  return create(ListSourceSchema, {
    list: setting.list,
    format: formatCodes[setting.format],
    locations: setting.files.map(locationShown),
    outcome: state?.outcome ?? "never",
    problem: state?.problem ?? "",
    failures: state?.failures ?? 0,
    ...(state === undefined
      ? {}
      : {
          checkedAt: timestampFromDate(state.checkedAt),
          nextCheckAt: timestampFromDate(state.nextCheckAt),
        }),
  });
}
