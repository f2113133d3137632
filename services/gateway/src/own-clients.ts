import {
  type Client,
  createClient,
  createRouterTransport,
  type Interceptor,
  type ServiceImpl,
} from "@connectrpc/connect";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";

/** The RPCs that the gateway serves itself, for its own public routes. */
export type OwnClients = {
  readonly keys: Client<typeof KeyService>;
  readonly team: Client<typeof TeamService>;
};

/**
 * Who calls is the gateway, which has verified the key or the member that it names as the actor; an
 * own request of a merchant waits for no operator, and is in the trail as that key's or member's.
 */
const asGateway: Interceptor = (next) => (request) => {
  const context = { requestId: crypto.randomUUID(), ...callContext() };
  const principal = { kind: "service", name: "gateway" } as const;
  return withCallContext({ ...context, principal }, () => next(request));
};

/** Clients of the gateway's own RPCs within this process. */
export function ownClients(
  keyService: ServiceImpl<typeof KeyService>,
  teamService: ServiceImpl<typeof TeamService>,
): OwnClients {
  const transport = createRouterTransport(
    (router) => {
      router.service(KeyService, keyService);
      router.service(TeamService, teamService);
    },
    { router: { interceptors: [asGateway] } },
  );
  return { keys: createClient(KeyService, transport), team: createClient(TeamService, transport) };
}
