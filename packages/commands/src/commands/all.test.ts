import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { type CallCommand, columnPath, rolesOf } from "../table/command.ts";
import { fieldAt } from "../table/fields.ts";
import { callCommands, callGroups, uploadCommands } from "./all.ts";

/** Returns the field of a response that a command shows. */
const shownField = (output: DescMessage, name: string): DescField | undefined =>
  output.fields.find((field) => field.name === name);

it("each command has a name of its own, a group and a role", () => {
  const names = callCommands.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  const groups = new Set(callGroups.map(({ name }) => name));
  for (const command of callCommands) {
    expect(groups, command.name).toContain(command.name.split(" ")[0]);
    expect(rolesOf(command), command.name).not.toEqual([]);
  }
  for (const { name } of callGroups) {
    expect(
      names.some((each) => each.split(" ")[0] === name),
      name,
    ).toBe(true);
  }
});

it.each(uploadCommands.map((command) => [command.name, command] as const))(
  "%s fills fields of the stream's header",
  (_, { method, arguments: positional = [], options = [], ...command }) => {
    expect(rolesOf({ method })).not.toEqual([]);
    for (const { field } of [...positional, ...options]) {
      if (field !== undefined) expect(() => fieldAt(method.input, field), field).not.toThrow();
    }
    const formats = options.find(({ name }) => name === "format")?.choices;
    expect(formats).toEqual(expect.arrayContaining(Object.keys(command.fileNames)));
  },
);

describe.each(callCommands.map((command) => [command.name, command] as const))(
  "%s",
  (_, command) => {
    const { method, arguments: positional = [], options = [], file, show, registered } = command;

    it("fills fields of the request", () => {
      const own = positional.filter(({ name }) => name !== file?.argument);
      const paths = [...own, ...options].map(({ name, field }) => field ?? `no field: ${name}`);
      const others = (file?.fields ?? []).map(({ field }) => field);
      for (const path of [...paths, ...others, ...(registered === undefined ? [] : [registered])]) {
        expect(() => fieldAt(method.input, path), path).not.toThrow();
      }
    });

    it("shows fields of the response", () => {
      const name = "list" in show ? show.list : show.record;
      if (name === "") return;
      const field = shownField(method.output, name);
      expect(field, name).toBeDefined();
      const columns = "list" in show ? show.columns : [];
      for (const path of columns.map(columnPath)) {
        expect(() => fieldAt(field?.message as DescMessage, path), path).not.toThrow();
      }
    });

    it("names lists that exist, and the record that it changes", () => {
      for (const { source } of [...positional, ...options]) {
        if (source === undefined) continue;
        const list = callCommands.find((each) => each.name === source.list) as CallCommand;
        const shown = "list" in list.show ? list.show.list : "";
        const { message } = shownField(list.method.output, shown) ?? {};
        for (const path of [source.value, source.name ?? source.value]) {
          expect(() => fieldAt(message as DescMessage, path), path).not.toThrow();
        }
      }
      if (command.current === undefined) return;
      const { current } = command;
      expect(shownField(current.method.output, current.record)?.message).toBeDefined();
      for (const path of ["", ...(current.by ?? [])]) {
        const inside = [current.at, path].filter((part) => part !== "").join(".");
        if (inside !== "") expect(() => fieldAt(method.input, inside), inside).not.toThrow();
      }
    });
  },
);
