import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Socket } from "node:net";

/** The IPv4 connections. Members and services connect to 127.0.0.1 only. */
const tcpTable = "/proc/net/tcp";
/** The column of `/proc/net/tcp` with a socket's inode. */
const inodeColumn = 9;

/**
 * Returns a function that names the process at the other end of a local connection, for a proxy
 * that cuts off one process. A database member looks like any other client on the wire, so this
 * finds the owner of the connection's socket (Linux).
 */
export function createOwnerLookup(pids: () => ReadonlyMap<string, number>) {
  const known = new WeakMap<Socket, { readonly name: string | undefined }>();
  const find = (client: Socket): string | undefined => {
    const inode = inodeIn(readFileSync(tcpTable, "utf8"), client);
    if (inode === undefined) return undefined;
    return [...pids()].find(([, pid]) => hasSocket(pid, inode))?.[0];
  };
  return (client: Socket): string | undefined => {
    const found = known.get(client) ?? { name: find(client) };
    known.set(client, found);
    return found.name;
  };
}

type Ports = Pick<Socket, "remotePort" | "localPort">;

/**
 * Finds the socket at the other end in the table. Its own port is not enough: connections to
 * several ports can have the same one.
 */
export function inodeIn(table: string, { remotePort = 0, localPort = 0 }: Ports) {
  const [own, other] = [ending(remotePort), ending(localPort)];
  const columns = table.split("\n").map((line) => line.trim().split(/\s+/));
  return columns.find(([, local, remote]) => local?.endsWith(own) && remote?.endsWith(other))?.[
    inodeColumn
  ];
}

/** The end of an address in the table. */
function ending(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}

function hasSocket(pid: number, inode: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => linkOf(`${folder}/${fd}`) === `socket:[${inode}]`);
  } catch {
    // The process has ended.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // The descriptor was closed meanwhile.
    return "";
  }
}
