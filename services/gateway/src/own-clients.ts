import {
  type Client,
  createClient,
  createRouterTransport,
  type Interceptor,
  type ServiceImpl,
} from "@connectrpc/connect";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { RequestLogService } from "@disburse/contracts/disburse/gateway/v1/requests_pb.ts";
import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";

/** The RPCs that the gateway serves itself, for its own public routes. */
export type OwnClients = {
  readonly keys: Client<typeof KeyService>;
  readonly team: Client<typeof TeamService>;
  readonly requests: Client<typeof RequestLogService>;
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

/** The gateway's own RPCs. */
export type OwnServices = {
  readonly keyService: ServiceImpl<typeof KeyService>;
  readonly teamService: ServiceImpl<typeof TeamService>;
  readonly requestLogService: ServiceImpl<typeof RequestLogService>;
};

/** Clients of the gateway's own RPCs within this process. */
export function ownClients(services: OwnServices): OwnClients {
  const transport = createRouterTransport(
    (router) => {
      router.service(KeyService, services.keyService);
      router.service(TeamService, services.teamService);
      router.service(RequestLogService, services.requestLogService);
    },
    { router: { interceptors: [asGateway] } },
  );
  return {
    keys: createClient(KeyService, transport),
    team: createClient(TeamService, transport),
    requests: createClient(RequestLogService, transport),
  };
}
