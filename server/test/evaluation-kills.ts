/** Evaluations while their server, their worker and PostgreSQL are killed: one scenario for a short run and a long one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { bundle } from './bundles.ts';
import { KilledFleet, type Victim } from './killed-fleet.ts';
import { until } from './processes.ts';

const W = '/org/main/ws/main';
const ITEMS = 50;
const CONCURRENCY = 8;
const WAIT_TIMEOUT_MS = 500_000;

/** A program that works like the built-in agent, and retries failed calls as the vendors' clients do. */
const PROGRAM = `python3 - <<'END'
import json, os, subprocess, time, urllib.error, urllib.request

TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}}]

def ask(messages):
    body = json.dumps({"model": os.environ["DRYDOCK_MODEL"], "messages": messages, "tools": TOOLS}).encode()
    for retry in range(600):
        headers = {"content-type": "application/json", "x-stainless-retry-count": str(min(retry, 999))}
        request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["choices"][0]["message"]
        except (OSError, ValueError):
            time.sleep(0.5)
    raise SystemExit(9)

messages = [{"role": "user", "content": open(os.environ["DRYDOCK_INSTRUCTION_FILE"]).read()}]
while True:
    message = ask(messages)
    messages.append(message)
    if not message.get("tool_calls"):
        break
    for call in message["tool_calls"]:
        command = json.loads(call["function"]["arguments"])["command"]
        output = subprocess.run(["bash", "-c", command], capture_output=True, text=True).stdout
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
END`;

interface Round {
  readonly agent?: 'basic' | 'program';
  /** Must be a multiple of five. */
  readonly items?: number;
}

interface Evaluation {
  readonly id: string;
  readonly status: string;
  readonly passed_count: number;
  readonly item_counts: Readonly<Record<string, number>>;
}

export class KilledEvaluations {
  readonly #fleet = new KilledFleet();

  async start(): Promise<void> {
    await this.#fleet.start();
    const task = {
      name: 'task',
      version: '1.0.0',
      instruction: 'Run this:\n\n```sh\necho "$RANDOM" > made.txt; sleep 0.2; echo done\n```\n',
      verification: { method: 'script', script: 'verify.sh' },
    };
    const files = { 'task.yaml': JSON.stringify(task), 'verify.sh': 'test "$(wc -l < made.txt)" = 1\n' };
    expect(await this.#fleet.putBundle('/org/main/tasks/task/1.0.0', bundle(files))).toBe(201);
  }

  stop(): Promise<void> {
    return this.#fleet.stop();
  }

  /** Runs samples, kills the given processes in between, and requires each sample to end once, with its stored results. */
  async round(victims: readonly Victim[], { agent = 'basic', items = ITEMS }: Round = {}): Promise<void> {
    const request = {
      name: 'killed',
      model: 'sim/tool-user',
      task_names: Array.from({ length: 5 }, () => 'task'),
      repetitions: items / 5,
      concurrency: CONCURRENCY,
      max_retries: 5,
      ...(agent === 'program' && { agent: { command: PROGRAM } }),
    };
    const created = await this.#fleet.post<Evaluation>(`${W}/evaluation`, request);
    expect(created.status).toBe(201);
    const { id } = created.body;
    for (const victim of victims) {
      const before = await this.#endedCount(id);
      await until('samples end', async () => (await this.#endedCount(id)) > before, WAIT_TIMEOUT_MS);
      await sleep(Math.random() * 300);
      await this.#fleet.kill(victim);
    }
    const evaluation = await until('the evaluation has ended', () => this.#findEnded(id), WAIT_TIMEOUT_MS);
    expect(evaluation).toMatchObject({ status: 'completed', passed_count: items });
    await this.#audit(id, victims.length, items);
  }

  async #endedCount(id: string): Promise<number> {
    return (await this.#get(id))?.item_counts.passed ?? 0;
  }

  #get(id: string): Promise<Evaluation | undefined> {
    return this.#fleet.get(`${W}/evaluation/${id}`);
  }

  async #findEnded(id: string): Promise<Evaluation | undefined> {
    const found = await this.#get(id);
    return found && ['completed', 'failed', 'cancelled'].includes(found.status) ? found : undefined;
  }

  /** Checks the database: one end for each sample, and no calls except those whose response could not be stored because of a kill. */
  #audit(id: string, killCount: number, items: number): Promise<void> {
    return this.#fleet.withDb(async (db) => {
      const { rows } = await sql<{ session_id: string; calls: number; answers: number; ends: number }>`
        SELECT s.id AS session_id,
               (SELECT count(*) FROM inference_calls AS c WHERE c.session_id = s.id AND c.status = 'completed') AS calls,
               (SELECT count(*) FROM session_messages AS m WHERE m.session_id = s.id AND m.role = 'assistant') AS answers,
               (SELECT count(*) FROM events AS e
                 WHERE e.stream_id = i.evaluation_id AND e.type = 'item' AND e.data ->> 'id' = i.id::text
                   AND e.data ->> 'item_status' = 'passed') AS ends
          FROM evaluation_items AS i JOIN sessions AS s ON s.id = i.session_id
         WHERE i.evaluation_id = ${id}`.execute(db);
      expect(rows).toHaveLength(items);
      for (const { calls, answers, ends } of rows) {
        expect([answers, ends]).toEqual([2, 1]);
        expect(calls).toBeGreaterThanOrEqual(2);
        expect(calls).toBeLessThanOrEqual(2 + killCount);
      }
      const repeated = rows.filter(({ calls }) => calls > 2).length;
      // Sandboxes survive a kill and are taken over: no attempt is given up after its agent has run.
      const { rows: given } = await sql<{ error: string; has_run: boolean }>`
        SELECT a.outcome ->> 'error' AS error, EXISTS (
                 SELECT FROM session_messages AS m WHERE m.session_id = a.session_id AND m.role = 'assistant') AS has_run
          FROM evaluation_item_attempts AS a JOIN evaluation_items AS i ON i.id = a.item_id
         WHERE i.evaluation_id = ${id}`.execute(db);
      console.info(`${given.length} attempts were given up before their first model call`);
      expect(given.filter(({ has_run }) => has_run)).toEqual([]);
      console.info(
        `${repeated} of ${items} samples repeated a call whose response was lost with its process`,
      );
      const { rows: frozen } = await sql`
        SELECT s.id FROM sessions AS s JOIN session_groups AS g ON g.id = s.group_id
         WHERE g.evaluation_id = ${id} AND (s.frozen_at IS NULL OR g.status = 'running')`.execute(db);
      expect(frozen).toEqual([]);
    });
  }

  /** Waits until nothing is left of killed attempts: sandboxes are removed when their leases lapse. */
  requireNothingLeft(): Promise<void> {
    return this.#fleet.withDb(async (db) => {
      const count = async (text: string) => (await sql.raw<{ n: number }>(text).execute(db)).rows[0]?.n;
      await until(
        'no sandbox, session or hold is left',
        async () =>
          (await count(`SELECT count(*) AS n FROM runtimes WHERE origin <> 'user'`)) === 0 &&
          (await count(`SELECT count(*) AS n FROM credit_reservations`)) === 0,
        300_000,
      );
    });
  }
}
