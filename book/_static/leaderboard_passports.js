// Passports on the leaderboard: a file that a reader drops becomes a row, or is told what was expected.
// Files are read by the page alone; nothing is sent or kept.

"use strict";

{
  const { written } = robust;

  const MOST_BYTES = 16e6; // a hundred times the largest that `robust passport` writes

  /** Return what is wrong with a value by a JSON schema, as a sentence's end; null if it fits. */
  function schemaFault(schema, value, root, where = "the file") {
    if (schema.$ref) return schemaFault(root.$defs[schema.$ref.split("/").at(-1)], value, root, where);
    if (schema.anyOf) {
      const faults = schema.anyOf.map((one) => schemaFault(one, value, root, where));
      return faults.includes(null) ? null : faults[0];
    }
    const kind = value === null ? "nothing" : Array.isArray(value) ? "array" : typeof value;
    const shown = ["string", "number", "boolean"].includes(kind) ? JSON.stringify(value).slice(0, 60) : kind;
    const fits = {
      null: value === null,
      integer: Number.isInteger(value),
      number: kind === "number",
      string: kind === "string",
      boolean: kind === "boolean",
      array: kind === "array",
      object: kind === "object",
    };
    if (schema.type && !fits[schema.type]) return `${where} to be of type ${schema.type}, but got ${shown}`;
    if ("const" in schema && value !== schema.const) return `${where} to be ${schema.const}, but got ${shown}`;
    if (kind === "string" && (value.length < schema.minLength || value.length > schema.maxLength)) {
      return `${where} to have ${schema.minLength} to ${schema.maxLength} letters, but got ${value.length}`;
    }
    if (schema.enum && !schema.enum.includes(value)) {
      return `${where} to be one of ${schema.enum.join(", ")}, but got ${shown}`;
    }
    if (kind === "array" && schema.items) {
      return firstFault(value.map((one, place) => [schema.items, one, `${where}[${place}]`]), root);
    }
    if (kind !== "object") return null;
    const at = (name) => (where === "the file" ? name : `${where}.${name}`);
    const lacking = (schema.required || []).find((name) => !(name in value));
    if (lacking) return `${at(lacking)} to be there, but it is not`;
    const known = schema.properties || {};
    const other = Object.keys(value).find((name) => !(name in known));
    if (other !== undefined && schema.additionalProperties === false) return `no ${at(other)}, but there is one`;
    return firstFault(
      Object.keys(value).map((name) => [known[name] || schema.additionalProperties || {}, value[name], at(name)]),
      root,
    );
  }

  function firstFault(parts, root) {
    for (const [schema, value, where] of parts) {
      const fault = schemaFault(schema, value, root, where);
      if (fault) return fault;
    }
    return null;
  }

  /** Return the passport that a text holds, or throw what was expected. */
  function parsePassport(text, file, about) {
    const again = "Drop the passport.json that `robust passport` writes.";
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      throw new Error(`${file}: expected a model report, but the file is not JSON. ${again}`);
    }
    if (found && typeof found === "object" && "version" in found && found.version !== about.version) {
      throw new Error(
        `${file}: expected a model report of version ${about.version}, but got ${JSON.stringify(found.version)}. ` +
          "Make it again with `robust passport` of the version that made this page.",
      );
    }
    const fault = schemaFault(about.schema, found, about.schema);
    if (fault) throw new Error(`${file}: expected a model report, with ${fault}. ${again}`);
    return found;
  }

  /** Return whether a number over all corruptions and severities has what a column takes, as the page says it. */
  function fitsColumn(column, number) {
    if (number.corruption != null || number.severity != null) return false;
    return column.takes.some((one) => Object.entries(one).every(([part, value]) => (number[part] ?? null) === value));
  }

  /** Return how a number is computed, in the papers' words where its convention has their signs. */
  function wayOfNumber(column, convention) {
    const told = convention || column.unnamed;
    return column.signs.every((sign) => told.includes(sign)) ? column.way : told;
  }

  /** Return the data set that a corrupted one is made of. */
  function bedOf(dataset) {
    return dataset.replace(/_c$/, "");
  }

  function worldOfData(data, dataset) {
    return (data.datasets[dataset] || data.datasets[bedOf(dataset)] || ["own"])[0];
  }

  function cellOfNumber(column, number, passport, file, data) {
    const turned = number.metric === "error" && column.turned;
    const right = (value) => (value == null ? undefined : turned ? 1 - value : value);
    const ends = [right(number.low), right(number.high)];
    const bed = bedOf(number.dataset);
    const [mine, run] = [passport.made.datasets[bed], data.run.datasets[bed]];
    const others = mine && run && mine !== run ? "; other images than this run's, by their digest" : "";
    const whole = number.n == null || number.n_full == null || number.n === number.n_full;
    const count = (value) => value.toLocaleString("en");
    return {
      value: right(number.value),
      text: written(100 * right(number.value)),
      low: turned ? ends[1] : ends[0],
      high: turned ? ends[0] : ends[1],
      n: number.n ?? undefined,
      dataset: number.dataset,
      way: wayOfNumber(column, number.convention) + others,
      part: whole ? undefined : `${count(number.n)} of ${count(number.n_full)}`,
      where: file,
    };
  }

  /** Return the row that a passport's text makes, or throw what was expected. */
  function rowOfPassport(text, file, data) {
    const passport = parsePassport(text, file, data.passport);
    const asks = `${passport.asks}s`;
    const numbers = passport.sections.filter((one) => one.left_out == null).flatMap((one) => one.numbers || []);
    const cells = {};
    data.columns
      .filter((column) => column.asks === asks)
      .forEach((column) => {
        const number = numbers.find((one) => fitsColumn(column, one));
        if (number) cells[column.key] = cellOfNumber(column, number, passport, file, data);
      });
    const first = Object.values(cells)[0];
    if (!first) {
      throw new Error(
        `${file}: expected a model report with at least one number of this page, but it has none: ` +
          "every benchmark was left out. The report's own page gives the reasons.",
      );
    }
    return {
      name: passport.model,
      title: passport.model,
      source: "yours",
      of: `your model report of ${passport.made.date}`,
      asks,
      world: worldOfData(data, first.dataset),
      words: passport.words,
      mark: [passport.model, passport.fingerprint, passport.profile, passport.made.date, passport.made.seconds].join("|"),
      cells,
    };
  }

  /** Return the text of a file, or throw why it is not read. */
  async function textOfFile(file) {
    if (file.size > MOST_BYTES) {
      throw new Error(
        `${file.name}: expected a model report of less than ${MOST_BYTES / 1e6} MB, but got ` +
          `${(file.size / 1e6).toFixed(0)} MB. Drop the passport.json that \`robust passport\` writes.`,
      );
    }
    return file.text();
  }

  Object.assign(robust, { bedOf, rowOfPassport, textOfFile });
}
