import type { Expression, Node } from "typescript/unstable/ast";
import {
  isAsExpression,
  isBindingElement,
  isCallExpression,
  isElementAccessExpression,
  isIdentifier,
  isObjectBindingPattern,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isSpreadElement,
  isStringLiteral,
  isTypeAssertion,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";
import { type Symbol as CheckedSymbol, ObjectFlags, type Type } from "typescript/unstable/sync";
import { type Finding, isForTests } from "../source.ts";
import { findingOf, shown, type TypedFile, type TypedProgram, visitNodes } from "./program.ts";

/** A service's call of an RPC. */
export type ServiceCall = {
  readonly caller: string;
  /** `disburse.quote.v1.QuoteService/claimQuote` */
  readonly rpc: string;
  readonly path: string;
};

/** The services of each RPC, by the RPC's name in clients. */
export type ServedRpcs = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Finds every use of another service's RPC by a caller's code, without tests. `unresolved` are uses
 * that may be such calls but that the checker can't resolve: RPC names of values that are not
 * clients, and clients whose type is lost, which allow any call.
 */
export function serviceCalls(
  program: TypedProgram,
  served: ServedRpcs,
  callerOf: (path: string) => string | undefined,
): { calls: ServiceCall[]; unresolved: Finding[] } {
  const calls: ServiceCall[] = [];
  const unresolved: Finding[] = [];
  for (const file of program.files((path) => callerOf(path) !== undefined && !isForTests(path))) {
    const caller = callerOf(file.path) ?? "";
    const isOthers = (name: string) =>
      [...(served.get(name) ?? [])].some((service) => service !== caller);
    for (const { name, node, symbol } of namedUses(program, file, isOthers)) {
      const rpc = rpcOf(program, symbol);
      if (rpc === undefined) unresolved.push(findingOf(file, node, `is \`${name}\` an RPC's?`));
      else if (ownerOf(rpc) !== caller) calls.push({ caller, rpc, path: file.path });
    }
    for (const node of lostClients(program, file, caller)) {
      unresolved.push(
        findingOf(file, node, "a client whose type is lost: its calls can't be checked"),
      );
    }
  }
  return { calls, unresolved };
}

/** `quote` of `disburse.quote.v1.QuoteService/claimQuote`. */
const ownerOf = (rpc: string): string => rpc.split(".")[1] ?? "";

type NamedUse = {
  readonly name: string;
  readonly node: Node;
  readonly symbol: CheckedSymbol | undefined;
};

/** Members of values that have the name of an RPC: read, called or destructured. */
function namedUses(
  { checker }: TypedProgram,
  { node: root }: TypedFile,
  isWanted: (name: string) => boolean,
): NamedUse[] {
  const uses: NamedUse[] = [];
  const memberOf = (value: Node, name: string) => {
    const type = checker.getTypeAtLocation(value);
    return type && checker.getPropertyOfType(type, name);
  };
  visitNodes(root, (node) => {
    if (isPropertyAccessExpression(node) && isWanted(node.name.text)) {
      const symbol = checker.getSymbolAtLocation(node.name);
      uses.push({ name: node.name.text, node, symbol });
    } else if (isElementAccessExpression(node) && isStringLiteral(node.argumentExpression)) {
      const { text: name } = node.argumentExpression;
      if (isWanted(name)) uses.push({ name, node, symbol: memberOf(node.expression, name) });
    } else if (isBindingElement(node)) {
      const name = node.propertyName ?? node.name;
      if (name === undefined || !(isIdentifier(name) || isStringLiteral(name))) return;
      if (!isWanted(name.text)) return;
      uses.push({ name: name.text, node, symbol: memberOf(node.parent, name.text) });
    }
  });
  return uses;
}

/** Returns the RPC of a client's member, which has the contract's declaration. */
function rpcOf({ pathOf }: TypedProgram, symbol: CheckedSymbol | undefined): string | undefined {
  const [declaration] = symbol?.declarations ?? [];
  const [, folder] =
    /^packages\/contracts\/src\/gen\/(disburse\/\w+\/v\d+)\/\w+_pb\.ts$/.exec(
      declaration === undefined ? "" : pathOf(declaration.path),
    ) ?? [];
  if (symbol === undefined || folder === undefined) return undefined;
  let node: Node | undefined = declaration?.resolve();
  while (node !== undefined && !isVariableDeclaration(node)) node = node.parent;
  if (node === undefined || !isIdentifier(node.name)) return undefined;
  return `${folder.replaceAll("/", ".")}.${node.name.text}/${symbol.name}`;
}

/** Clients that are cast, spread, indexed by a computed name, or assigned to another type. */
function lostClients(program: TypedProgram, { node: root }: TypedFile, caller: string): Node[] {
  const { checker, typesOf } = program;
  const lost: Node[] = [];
  const flowing: Node[] = [];
  visitNodes(root, (node) => {
    if (isAsExpression(node) || isTypeAssertion(node)) lost.push(node.expression);
    else if (isBindingElement(node) && node.dotDotDotToken) lost.push(node.parent);
    else if (isSpreadAssignment(node) || isSpreadElement(node)) lost.push(node.expression);
    else if (isElementAccessExpression(node) && !isStringLiteral(node.argumentExpression)) {
      lost.push(node.expression);
    } else if (isValue(node)) flowing.push(node);
  });
  const clientsAmong = (nodes: readonly Node[]) => {
    const types = typesOf(nodes);
    return nodes.filter((_node, at) => isClient(program, types[at], caller));
  };
  const taken = clientsAmong(flowing).filter((node) => {
    const { parent } = node;
    if (isPropertyAccessExpression(parent) && parent.expression === node) return false;
    // A destructured client isn't lost, because its members are found by their own names.
    if (isVariableDeclaration(parent) && isObjectBindingPattern(parent.name)) return false;
    const wanted = checker.getContextualType(node as Expression);
    if (wanted === undefined || wanted.isTypeParameter()) return false;
    return !isClient(program, wanted, caller);
  });
  return [...new Set([...clientsAmong(lost), ...taken])];
}

/** True if a node is an expression that passes a value on, not just a name. */
function isValue(node: Node): boolean {
  if (isCallExpression(node) || isPropertyAccessExpression(node)) return true;
  if (!isIdentifier(node)) return false;
  const { parent } = node;
  return isShorthandPropertyAssignment(parent) || !("name" in parent) || parent.name !== node;
}

/** True if a type is a client of another service, a part of such a client, or possibly a client. */
function isClient(program: TypedProgram, type: Type | undefined, caller: string): boolean {
  if (type === undefined) return false;
  if (type.isUnionType() || type.isIntersectionType()) {
    return (shown(() => type.getTypes()) ?? []).some((each) => isClient(program, each, caller));
  }
  if (!(type.isObjectType() && type.objectFlags & ObjectFlags.Mapped)) return false;
  // A client of any service, which has no members of its own.
  if (type.getAliasSymbol()?.name === "Client") return true;
  return program.checker.getPropertiesOfType(type).some((member) => {
    const rpc = rpcOf(program, member);
    return rpc !== undefined && ownerOf(rpc) !== caller;
  });
}
