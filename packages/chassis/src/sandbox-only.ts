import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import type { RpcServerOptions } from "./rpc/server.ts";
import type { Mode } from "./settings.ts";

/** The services of a server and their handlers. */
type Served = Pick<RpcServerOptions, "services" | "routes">;

/** Whether a service of the contract is for sandboxes alone: its name says so. */
export function isSandboxOnly({ name }: DescService): boolean {
  return name.endsWith("SandboxService");
}

/** What a process serves in a mode: live, nothing that is for sandboxes alone. */
export function servedIn(mode: Mode, { services, routes }: Served): Served {
  if (mode === "sandbox") return { services, routes };
  return {
    services: services.filter((each) => !isSandboxOnly(each)),
    routes: (router) => routes(withoutSandbox(router)),
  };
}

/** A router that leaves out what is for sandboxes alone. */
function withoutSandbox(router: ConnectRouter): ConnectRouter {
  const live: ConnectRouter = {
    handlers: router.handlers,
    service: (service, implementation, options) => {
      if (!isSandboxOnly(service)) router.service(service, implementation, options);
      return live;
    },
    rpc: (method, implementation, options) => {
      if (!isSandboxOnly(method.parent)) router.rpc(method, implementation, options);
      return live;
    },
  };
  return live;
}
