/** Written by `npm run generate` from openapi.json. Do not edit. */
export interface components {
    schemas: {
        AgentCommand: {
            /** @description A line of bash, run in /workspace */
            command: string;
            /** @description In addition to the variables of the platform; the values are never shown */
            env?: {
                [key: string]: string;
            } | null;
            /** @description Bash script that installs the program, before the time limit of the agent starts */
            setup?: string | null;
        };
        AirtAgentActions: {
            /** @description Commands that the agent ran */
            commands: string[];
            /** @description Hosts that the sandbox requested, with the decision */
            egress: string[];
            /** @description Paths that were changed in /workspace */
            files: string[];
        };
        AirtAnalytics: {
            /**
             * Format: uuid
             * @description Id of the assessment
             */
            assessment_id: string;
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            /** @description Share of the attacks that succeeded, from 0 to 1 */
            overall_asr: number | null;
            success: components["schemas"]["AirtSuccessRate"];
            /** @description Risk from 0 to 10, over all findings */
            risk_score: number;
            /** @description How many attacks there are */
            total_attacks: number;
            /** @description How many trials there are */
            total_trials: number;
            /** @description How many trials have ended */
            finished_trials: number;
            /** @description How many trials failed */
            error_trials: number;
            /** @description Figures of each attack */
            by_attack: components["schemas"]["AirtRate"][];
            /** @description Figures of each category */
            by_category: components["schemas"]["AirtRate"][];
            /** @description Figures of each goal */
            by_goal: components["schemas"]["AirtRate"][];
            /** @description Prompts as they are, which the lift of transforms is measured against */
            baseline: components["schemas"]["AirtSuccessRate"];
            /** @description Chains are joined by → */
            by_transform: components["schemas"]["AirtTransformRate"][];
            /** @description Figures of each attack and category */
            matrix: components["schemas"]["AirtMatrixCell"][];
            /** @description Findings with a success */
            severity_counts: {
                [key: string]: number;
            };
            /** @description How many findings are of each type */
            finding_types: {
                [key: string]: number;
            };
            /** @description How many findings are in each state */
            finding_statuses: {
                [key: string]: number;
            };
            /** @description Coverage of the controls of frameworks */
            compliance: components["schemas"]["AirtControl"][];
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
            /** @description How long it ran, in seconds */
            execution_time_s: number;
            /** @description Number of model calls */
            model_calls: number;
            /** @description Cost in US dollars */
            cost_usd: number;
            /** @description The worst findings */
            top_findings: components["schemas"]["AirtTopFinding"][];
            /** @description What to do about the findings */
            recommendations: string[];
            /** @description As the run found them, before triage */
            run: {
                /** @description Share of the attacks that succeeded, from 0 to 1 */
                overall_asr: number | null;
                /** @description Risk from 0 to 10, over all findings */
                risk_score: number | null;
            };
            calibration: components["schemas"]["AirtCalibration"];
        };
        AirtAttack: {
            /** @description Name */
            name: string;
            /** @description Summary in one sentence */
            summary: string;
            /** @description Paper that describes the attack */
            paper: {
                /** @description Title for people */
                title: string;
                /** @description Address */
                url: string;
            } | null;
            /**
             * @description How the attack works: in one turn, in several, through content that the target reads, or on its system prompt and tools
             * @enum {string}
             */
            turns: "single" | "multi" | "indirect" | "system";
            /** @description Kinds of target that the attack works on */
            targets: ("model" | "http" | "agent")[];
            /** @description JSON Schema */
            params: {
                [key: string]: unknown;
            };
            /** @description Model calls that a trial costs, at most */
            calls_per_trial: {
                /** @description Calls of the attacking model, at most */
                attacker: number;
                /** @description Calls of the target, at most */
                target: number;
                /** @description Calls of the judge, at most */
                judge: number;
            };
            /** @description Ends at the first success, unless `params.exhaustive` is true */
            stops_early: boolean;
            /** @description The score from which a trial is a success; null: 0.5 */
            threshold: number | null;
        };
        AirtAttackSpan: {
            /** @description Id of the trace */
            trace_id: string | null;
            /** @description Id of the span */
            span_id: string | null;
            /**
             * Format: uuid
             * @description Id of the finding
             */
            finding_id: string;
            /** @description Name of the attack */
            attack_name: string;
            /** @description What the attack tries to make the target do */
            goal: string;
            /** @description Category of harm of the goal */
            goal_category: string | null;
            /** @description Category */
            category: string | null;
            /** @description Finer category */
            sub_category: string | null;
            /** @description Transforms of the prompt */
            transforms: string[];
            /** @description Whether the target did what it must not do */
            is_jailbreak: boolean;
            /** @description How long it ran, in seconds */
            execution_time_s: number | null;
            /** @description Model that is attacked */
            target_model: string | null;
            /** @description Model that writes the attacks */
            attacker_model: string | null;
            /** @description Model that judges the responses */
            evaluator_model: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description Highest score of all trials */
            best_score: number | null;
            /** @description Share of the attacks that succeeded, from 0 to 1 */
            asr: number | null;
            /** @description How many trials there are */
            total_trials: number;
            /** @description How many trials have ended */
            finished_trials: number;
        };
        AirtCalibration: {
            /** @description Model that judges the responses */
            judge_model: string | null;
            /** @description Findings with a success that people have reviewed, in the project, by this judge */
            reviews: number;
            /** @description How many reviews are missing until there are rates */
            missing: number;
            /** @description null before there are enough reviews */
            overall: components["schemas"]["AirtCorrectedRate"] | null;
            /** @description Figures of each attack */
            by_attack: components["schemas"]["AirtCorrectedRate"][];
        };
        AirtControl: {
            /** @description Framework */
            framework: string;
            /** @description Name and version */
            framework_name: string | null;
            /** @description Control of the framework */
            control: string;
            /** @description Title for people */
            title: string | null;
            /** @description Findings that test it */
            findings: number;
            /** @description Findings in which an attack succeeded */
            broken: number;
        };
        AirtCorrectedRate: {
            /** @description null: all attacks */
            attack_name: string | null;
            /** @description How many findings people have reviewed */
            reviews: number;
            /** @description Share of the reviewed jailbreaks that reviewers confirmed */
            precision: number | null;
            precision_interval: components["schemas"]["AirtInterval"] | null;
            /** @description Success rate, corrected by what people decided */
            corrected_asr: number | null;
            corrected_interval: components["schemas"]["AirtInterval"] | null;
        };
        AirtGoalCategory: {
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string;
            /** @description Harmless goals that a manifest entry without goals uses */
            goals: string[];
            /** @description The severity from each score on, highest first */
            severities: {
                /** @description Lowest score that counts as a jailbreak */
                min_score: number;
                /**
                 * @description Severity
                 * @enum {string}
                 */
                severity: "critical" | "high" | "medium" | "low" | "info";
            }[];
        };
        AirtInterval: {
            /** @description Lower end of the interval */
            low: number;
            /** @description Upper end of the interval */
            high: number;
            /** @description Level of confidence, such as 0.95 */
            level: number;
        };
        AirtMatrixCell: {
            /** @description Category */
            category: string;
            /** @description Name of the attack */
            attack_name: string;
            /** @description How many there are */
            n: number;
            /** @description How many trials succeeded */
            successes: number;
            /** @description Share of the attacks that succeeded, from 0 to 1 */
            asr: number | null;
        };
        AirtProjectSummary: {
            /**
             * Format: uuid
             * @description Id of the project; null for none
             */
            project_id: string;
            /** @description Key of the project */
            project_key: string;
            /** @description Name of the project */
            project_name: string;
            /** @description Assessments by state */
            assessments: {
                [key: string]: number;
            };
            /** @description How many findings there are */
            total_findings: number;
            /** @description Open findings with a success */
            open_findings: {
                [key: string]: number;
            };
            /** @description How many findings are in each state */
            finding_statuses: {
                [key: string]: number;
            };
            success: components["schemas"]["AirtSuccessRate"];
            /** @description Of the open findings */
            risk_score: number;
            /** @description When the last assessment was created */
            last_assessment_at: string | null;
            /** @description The last 50 that have ended, oldest first, as they were measured */
            trend: components["schemas"]["AirtTrendPoint"][];
        };
        AirtRate: {
            /** @description Name */
            name: string;
            /** @description How many findings there are */
            findings: number;
            /** @description Finished trials */
            n: number;
            /** @description Trials that reached the threshold */
            successes: number;
            /** @description null where no trial has finished */
            asr: number | null;
            interval: components["schemas"]["AirtInterval"] | null;
        };
        AirtRetest: {
            /**
             * Format: uuid
             * @description Id of the assessment
             */
            assessment_id: string;
            /** @description Id of the finding */
            finding_id: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            /** @description What is attacked */
            target: string;
            before: components["schemas"]["AirtSuccessRate"];
            after: components["schemas"]["AirtSuccessRate"];
            /** @description No trial succeeded; null before the end */
            is_fixed: boolean | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        AirtSuccessRate: {
            /** @description Finished trials */
            n: number;
            /** @description Trials that reached the threshold */
            successes: number;
            /** @description null where no trial has finished */
            asr: number | null;
            interval: components["schemas"]["AirtInterval"] | null;
        };
        AirtTopFinding: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Name of the attack */
            attack_name: string;
            /** @description What the attack tries to make the target do */
            goal: string;
            /** @description Category of harm of the goal */
            goal_category: string | null;
            /**
             * @description Severity
             * @enum {string}
             */
            severity: "critical" | "high" | "medium" | "low" | "info";
            /** @description Highest score of all trials */
            best_score: number | null;
        };
        AirtTransform: {
            /** @description Name */
            name: string;
            /**
             * @description Group that it belongs to
             * @enum {string}
             */
            group: "encoding" | "look_alike" | "structure" | "language" | "style" | "noise" | "tokens";
            /** @description Summary in one sentence */
            summary: string;
            /** @description JSON Schema */
            params: {
                [key: string]: unknown;
            };
            /** @description Has an exact inverse */
            is_codec: boolean;
            /** @description Done by the attacker model */
            is_model_based: boolean;
        };
        AirtTransformRate: {
            /** @description Name */
            name: string;
            /** @description Finished trials */
            n: number;
            /** @description Trials that reached the threshold */
            successes: number;
            /** @description null where no trial has finished */
            asr: number | null;
            interval: components["schemas"]["AirtInterval"] | null;
            /** @description Success rate with the transform, divided by that without */
            lift: number | null;
        };
        AirtTrendPoint: {
            /**
             * Format: uuid
             * @description Id of the assessment
             */
            assessment_id: string;
            /** @description Name */
            name: string;
            /** @description Model that is attacked */
            target_model: string | null;
            /**
             * Format: date-time
             * @description When it ended; null while it has not
             */
            completed_at: string;
            success: components["schemas"]["AirtSuccessRate"];
            /** @description Risk from 0 to 10, over all findings */
            risk_score: number | null;
        };
        AirtTrial: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the finding
             */
            finding_id: string;
            /** @description Name of the attack */
            attack_name: string;
            /** @description What the attack tries to make the target do */
            goal: string;
            /** @description Category of harm of the goal */
            goal_category: string | null;
            /** @description From 1, by score, in its finding */
            rank: number;
            /** @description Prompt before the transforms */
            candidate: string;
            /** @description Prompt as it was sent, after the transforms */
            transformed_prompt: string;
            /** @description Response of the target */
            response: string;
            /** @description Why the judge decided as it did */
            judge_reasoning: string;
            /** @description Number of the trial, from 0 */
            trial_index: number;
            /** @description How the trial ended */
            trial_status: string;
            /** @description Score */
            score: number;
            /** @description Whether the target did what it must not do */
            is_jailbreak: boolean;
            /** @description How long it ran, in seconds */
            execution_time_s: number;
            /** @description Id of the span */
            span_id: string;
            /** @description Transforms that the prompt went through */
            transforms_applied: string[];
            /** @description null when it finished */
            error: string | null;
            /** @description The session of an agent */
            session_id: string | null;
            /** @description What an agent did */
            actions: components["schemas"]["AirtAgentActions"] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        AirtTrialSpan: {
            /** @description Id of the trace */
            trace_id: string | null;
            /** @description Id of the span */
            span_id: string | null;
            /**
             * Format: uuid
             * @description Id of the finding
             */
            finding_id: string;
            /** @description Name of the attack */
            attack_name: string;
            /** @description What the attack tries to make the target do */
            goal: string;
            /** @description Category of harm of the goal */
            goal_category: string | null;
            /** @description Category */
            category: string | null;
            /** @description Finer category */
            sub_category: string | null;
            /** @description Transforms of the prompt */
            transforms: string[];
            /** @description Whether the target did what it must not do */
            is_jailbreak: boolean;
            /** @description How long it ran, in seconds */
            execution_time_s: number | null;
            /** @description Model that is attacked */
            target_model: string | null;
            /** @description Model that writes the attacks */
            attacker_model: string | null;
            /** @description Model that judges the responses */
            evaluator_model: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description Number of the trial, from 0 */
            trial_index: number;
            /** @description How the trial ended */
            trial_status: string;
            /** @description Score */
            score: number | null;
            /** @description Prompt before the transforms */
            candidate: string;
            /** @description Prompt as it was sent, after the transforms */
            transformed_prompt: string;
            /** @description Response of the target */
            response: string;
            /** @description Why the judge decided as it did */
            judge_reasoning: string;
        };
        ApiKey: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Key with its middle left out */
            masked_key: string;
            /** @description Name */
            name: string;
            /** @description Whether it can be used */
            active: boolean;
            /** @description Id of the organization; null for none */
            org_id: string | null;
            /** @description Id of the workspace; null for none */
            workspace_id: string | null;
            /** @description Scopes that the key is limited to; null for all */
            allowed_scopes: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write" | "training:work")[] | null;
            /** @description Whether the key may delete itself */
            allow_self_revoke: boolean;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description When it was last used; null for never */
            last_used_at: string | null;
            /** @description When it becomes invalid; null for never */
            expires_at: string | null;
        };
        ApiKeyCreateRequest: {
            /** @description Name */
            name: string;
            /** @description Limits the key to this organization */
            org_id?: string | null;
            /** @description Limits the key to this workspace */
            workspace_id?: string | null;
            /** @description Omitted: everything its user may do, except for `training:work`, which must be named */
            allowed_scopes?: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write" | "training:work")[] | null;
            /** @description When it becomes invalid; null for never */
            expires_at?: string | null;
            /**
             * @description Whether the key may end itself
             * @default false
             */
            allow_self_revoke?: boolean;
        };
        ApiKeyCreated: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Key with its middle left out */
            masked_key: string;
            /** @description Name */
            name: string;
            /** @description Whether it can be used */
            active: boolean;
            /** @description Id of the organization; null for none */
            org_id: string | null;
            /** @description Id of the workspace; null for none */
            workspace_id: string | null;
            /** @description Scopes that the key is limited to; null for all */
            allowed_scopes: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write" | "training:work")[] | null;
            /** @description Whether the key may delete itself */
            allow_self_revoke: boolean;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description When it was last used; null for never */
            last_used_at: string | null;
            /** @description When it becomes invalid; null for never */
            expires_at: string | null;
            /** @description Shown only now */
            key: string;
        };
        ArtifactFile: {
            /** @description Path below the root */
            path: string;
            /** @description Size in bytes */
            size_bytes: number;
            /** @description In hexadecimal */
            sha256: string;
        };
        ArtifactFileListResponse: {
            /** @description Files */
            files: components["schemas"]["ArtifactFile"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
        };
        ArtifactUpload: {
            /**
             * Format: uuid
             * @description Id of the upload
             */
            upload_id: string;
            /**
             * Format: date-time
             * @description Until when the links are valid
             */
            expires_at: string;
            /** @description Files */
            files: {
                /** @description Path below the root */
                path: string;
                /** @description SHA-256 of the content, in hexadecimal */
                sha256: string;
                /** @description Size in bytes */
                size_bytes: number;
                /** @description Send the content with PUT; null where the organization has it already */
                url: string | null;
            }[];
        };
        ArtifactUploadRequest: {
            /** @description Files */
            files: {
                /** @description Path below the root */
                path: string;
                /** @description Size in bytes */
                size_bytes: number;
                /** @description SHA-256 of the content, in hexadecimal */
                sha256: string;
            }[];
            /** @description As in the kind's manifest file */
            manifest: {
                [key: string]: unknown;
            };
        };
        ArtifactVersion: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Digest of the content, in hexadecimal */
            digest: string;
            /** @description How many files it has */
            file_count: number;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description That name this version; only models have any */
            aliases: string[];
            /** @description For members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        ArtifactVersionListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["ArtifactVersion"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
            /** @description The version numbers of the items, in their order */
            versions: string[];
        };
        AssessmentEndEvent: {
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            /** @description Why it stopped */
            stop_reason: string | null;
            /** @description Why it failed; null where it did not */
            error?: string | null;
        };
        AssessmentEstimateResponse: {
            /** @description How many findings there are */
            findings: number;
            /** @description At most; an attack stops at its first success */
            trials: number;
            /** @description At most */
            calls: {
                /** @description Calls of the attacking model, at most */
                attacker: number;
                /** @description Calls of the target, at most */
                target: number;
                /** @description Calls of the judge, at most */
                judge: number;
            };
            /** @description Tokens that the models are expected to read */
            input_tokens: number;
            /** @description Tokens that the models generated */
            output_tokens: number;
            /** @description At most, by the price list */
            cost_usd: number;
            /** @description What may have an unwanted effect */
            warnings: string[];
        };
        AssessmentFindingEndEvent: {
            /** @description Id of the finding */
            finding_id: string;
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            /**
             * @description What the finding is
             * @enum {string}
             */
            finding_type: "jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust";
            /**
             * @description Severity
             * @enum {string}
             */
            severity: "critical" | "high" | "medium" | "low" | "info";
            /** @description Highest score of all trials */
            best_score: number | null;
        };
        AssessmentFindingStartEvent: {
            /** @description Id of the finding */
            finding_id: string;
            /** @description Name of the attack */
            attack_name: string;
            /** @description What the attack tries to make the target do */
            goal: string;
        };
        AssessmentListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["AssessmentResponse"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description Number of this page, from 1 */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        AssessmentProgress: {
            /** @description How many findings there are */
            findings: number;
            /** @description Ended, also those that failed */
            completed_findings: number;
            /** @description At most; an attack stops at its first success */
            planned_trials: number;
            /** @description How many trials there are */
            trials: number;
            /** @description How many trials have ended */
            finished_trials: number;
            /** @description How many jailbreaks were found */
            jailbreaks: number;
            /** @description Findings with a jailbreak */
            severities: {
                [key: string]: number;
            };
            /** @description Number of model calls */
            model_calls: number;
            /** @description Cost in US dollars */
            cost_usd: number;
        };
        AssessmentReport: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the assessment
             */
            assessment_id: string;
            /**
             * @description Form of the report
             * @enum {string}
             */
            report_type: "markdown" | "json" | "html" | "sarif" | "executive_summary";
            /** @description Of every type but `json` */
            content: string | null;
            /** @description Of `json` and `sarif` */
            content_json: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        AssessmentResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the organization
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description Id of the workspace; null for none
             */
            workspace_id: string;
            /**
             * Format: uuid
             * @description Id of the project; null for none
             */
            project_id: string;
            /**
             * Format: uuid
             * @description Id of the user
             */
            user_id: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            /** @description Attacks with their parameters */
            attack_manifest: {
                [key: string]: unknown;
            }[] | null;
            /** @description Settings of the attacking model */
            attacker_config: {
                [key: string]: unknown;
            } | null;
            /** @description Settings of the target */
            target_config: {
                [key: string]: unknown;
            } | null;
            /** @description Model that writes the attacks */
            attacker_model: string | null;
            /** @description Model that judges the responses */
            judge_model: string | null;
            /** @description Model that is attacked */
            target_model: string | null;
            /** @description Share of the attacks that succeeded, from 0 to 1 */
            overall_asr: number | null;
            /** @description Risk from 0 to 10, over all findings */
            risk_score: number | null;
            /** @description Of all trials so far */
            success: components["schemas"]["AirtSuccessRate"];
            /** @description The analytics as of its end; null in lists */
            analytics_snapshot: {
                [key: string]: unknown;
            } | null;
            progress: components["schemas"]["AssessmentProgress"];
            /** @description What runs it: the server or a client */
            run_by: ("server" | "client") | null;
            /** @description The finding that it tries again */
            retest_of: string | null;
            /** @description Why it stopped */
            stop_reason: string | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Id of the runtime */
            runtime_id: string | null;
            /** @description Id of the sandbox */
            sandbox_id: string | null;
            /** @description Sandbox that it ran in */
            sandbox_detail: {
                /** @description Provider */
                provider: string;
                /** @description Id of the sandbox at its provider */
                provider_sandbox_id: string;
                /** @description State */
                state: string;
                /** @description How long sandboxes ran, in seconds */
                total_runtime_seconds: number | null;
            } | null;
            /** @description Id of the session */
            session_id: string | null;
            /** @description Id of a run outside Drydock that this belongs to */
            workflow_run_id: string | null;
            /** @description Script of a run outside Drydock that this belongs to */
            workflow_script: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
        };
        AssessmentStartEvent: {
            /** @description How many findings there are */
            findings?: number;
        };
        AssessmentTrialEvent: {
            /** @description Id of the finding */
            finding_id: string;
            /** @description Id of the trial */
            trial_id: string;
            /** @description Number of the trial, from 0 */
            trial_index: number;
            /** @description Score */
            score: number | null;
            /** @description Whether the target did what it must not do */
            is_jailbreak: boolean;
            /** @description Why it failed; null where it did not */
            error?: string;
        };
        AuditLogEntry: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description User that did it; null for the server itself */
            actor: {
                /**
                 * Format: uuid
                 * @description Id
                 */
                id: string;
                /** @description Username */
                username: string;
            } | null;
            /** @description Id of the API key that was used */
            api_key_id: string | null;
            /** @description Action */
            action: string;
            /** @description What it is about */
            resource: string;
            /** @description Values before the change */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description Values after the change */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description Id of the request, as in the header X-Request-Id */
            request_id: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        AuditLogPage: {
            /** @description The entries of this page */
            items: components["schemas"]["AuditLogEntry"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        BrowserLogin: {
            /** @description Access token, for the header "Authorization: Bearer" */
            access_token: string;
            /**
             * @description How the token is sent
             * @constant
             */
            token_type: "Bearer";
            /** @description Seconds until the access token expires */
            expires_in: number;
            user: components["schemas"]["UserResponse"];
        };
        BulkFindingRequest: {
            /** @description Ids of the findings */
            finding_ids: string[];
            /** @description What was decided about the finding */
            finding_status?: ("open" | "false_positive" | "accepted_risk" | "remediated" | "incorrect_scoring") | null;
            /** @description What the finding is */
            finding_type?: ("jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust") | null;
            /** @description Severity */
            severity?: ("critical" | "high" | "medium" | "low" | "info") | null;
            /** @description The reasoning of the review event */
            notes?: string | null;
        };
        BulkFindingResponse: {
            /** @description Without trials and retests; long texts are cut */
            items: components["schemas"]["FindingDetail"][];
        };
        CallMcpToolRequest: {
            /**
             * @description Arguments
             * @default {}
             */
            arguments?: {
                [key: string]: unknown;
            };
        };
        CallMcpToolResponse: {
            /** @description Blocks as the server sent them, such as `{"type": "text", "text": …}` */
            content: {
                [key: string]: unknown;
            }[];
            /** @description Result as data */
            structured_content: {
                [key: string]: unknown;
            } | null;
            /** @description The tool reports a failure, described in `content` */
            is_error: boolean;
        };
        CapabilityDetail: {
            /**
             * Format: uuid
             * @description Of this version
             */
            id: string;
            /** @description With the key of its organization: `org/name` */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Tags */
            tags: string[] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            /** @description How many versions there are */
            version_count: number;
            /** @description License, as an SPDX identifier where there is one */
            license: string | null;
            /** @description Of agents, tools, skills, hooks, mcp_servers and workers */
            component_counts: {
                [key: string]: number;
            };
            /** @description With their defaults */
            flags: {
                [key: string]: boolean;
            };
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            /**
             * Format: uuid
             * @description Id of the organization
             */
            organization_id: string;
            /** @description Slug of the organization */
            org_key: string;
            /** @description Over the manifest and the files, in hexadecimal */
            digest: string;
            /** @description Manifest, as it was published */
            manifest: {
                [key: string]: unknown;
            };
            /** @description How many files it has */
            file_count: number;
            /** @description User who published this version; for members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /** @description Description for people */
            description: string | null;
        };
        CapabilityJourneyResponse: {
            /** @description Capability, by name, or by name and version */
            capability: string;
            /** @description The entries of this page */
            items: components["schemas"]["JourneyVersion"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description Number of this page, from 1 */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        CapabilityListResponse: {
            /** @description Capabilities */
            capabilities: components["schemas"]["CapabilitySummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
        };
        CapabilityMcpServer: {
            /** @description Name */
            name: string;
            /**
             * @description `stdio`: runs in the sandbox; `http`: call it at its address; `unknown`: see `problem`
             * @enum {string}
             */
            transport: "stdio" | "http" | "unknown";
            /** @description What is run in the sandbox */
            command: string[] | null;
            /** @description Address */
            url: string | null;
            /** @description Mistakes in the manifest */
            problem: string | null;
        };
        CapabilityMcpTool: {
            /** @description Name */
            name: string;
            /** @description Title for people */
            title: string | null;
            /** @description Description for people */
            description: string | null;
            /** @description JSON Schema of its arguments */
            input_schema: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of `structured_content` */
            output_schema: {
                [key: string]: unknown;
            } | null;
        };
        CapabilitySummary: {
            /**
             * Format: uuid
             * @description Of this version
             */
            id: string;
            /** @description With the key of its organization: `org/name` */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Tags */
            tags: string[] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            /** @description How many versions there are */
            version_count: number;
            /** @description License, as an SPDX identifier where there is one */
            license: string | null;
            /** @description Of agents, tools, skills, hooks, mcp_servers and workers */
            component_counts: {
                [key: string]: number;
            };
            /** @description With their defaults */
            flags: {
                [key: string]: boolean;
            };
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
        };
        CapabilityWorker: {
            /** @description Name */
            name: string;
            /**
             * @description `stopped`: never started in this sandbox, or ended by a stop; `exited`: ended by itself
             * @enum {string}
             */
            state: "running" | "stopped" | "exited";
            /** @description By the clock of the sandbox */
            started_at: string | null;
            /** @description 128 + n: ended by signal n */
            exit_code: number | null;
        };
        CapabilityWorkerLog: {
            /** @description The last 64 KiB of what it wrote, on both of its outputs */
            log: string;
        };
        ChatCompletion: {
            /** @description `chatcmpl-` and the id of the call; as `gen_ai.response.id` of a span it names this call */
            id: string;
            /** @description When the response was made, in seconds since 1970 */
            created: number;
            /** @description Name of the model */
            model: string;
            /**
             * @description Type of the object, as in OpenAI's API
             * @constant
             */
            object: "chat.completion";
            /** @description Response of the model */
            choices: ({
                /** @description Position in the list, from 0 */
                index: number;
                /** @description Message */
                message: {
                    /** @description Role */
                    role: string;
                    /** @description Content */
                    content?: string | null;
                } & {
                    [key: string]: unknown;
                };
                /** @description Why the model stopped */
                finish_reason?: string | null;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Tokens that were used */
            usage?: ({
                /** @description Tokens of the prompt */
                prompt_tokens: number;
                /** @description Tokens that the model generated */
                completion_tokens: number;
                /** @description All tokens together */
                total_tokens: number;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The data of each server-sent event, where `stream` is true; the last is `[DONE]`. Where the model breaks off, the last is an InferenceErrorResponse instead. */
        ChatCompletionChunk: {
            /** @description `chatcmpl-` and the id of the call; as `gen_ai.response.id` of a span it names this call */
            id: string;
            /** @description When the response was made, in seconds since 1970 */
            created: number;
            /** @description Name of the model */
            model: string;
            /**
             * @description Type of the object, as in OpenAI's API
             * @constant
             */
            object: "chat.completion.chunk";
            /** @description Response of the model */
            choices: ({
                /** @description Position in the list, from 0 */
                index: number;
                /** @description What was added to the response */
                delta: {
                    /** @description Role */
                    role?: string;
                    /** @description Content */
                    content?: string | null;
                } & {
                    [key: string]: unknown;
                };
                /** @description Why the model stopped */
                finish_reason?: string | null;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Tokens that were used */
            usage?: ({
                /** @description Tokens of the prompt */
                prompt_tokens: number;
                /** @description Tokens that the model generated */
                completion_tokens: number;
                /** @description All tokens together */
                total_tokens: number;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        ChatCompletionRequest: {
            /** @description `provider/name`, as GET …/inference/v1/models lists them */
            model: string;
            /** @description Messages, in their order */
            messages: ({
                /** @description Such as system, user, assistant or tool */
                role: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Stream the response as server-sent events */
            stream?: boolean | null;
            /** @description Options of the stream */
            stream_options?: ({
                /** @description Whether the last chunk contains the usage */
                include_usage?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Maximum number of tokens of the response */
            max_completion_tokens?: number | null;
            /** @description An older name of `max_completion_tokens` */
            max_tokens?: number | null;
            /** @description How many choices to generate; only 1 is supported */
            n?: number | null;
            /** @description `drydock.session_id`, or `drydock.trace_id` with `drydock.span_id`, name what the call belongs to, and are not passed on */
            metadata?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        CompleteUploadRequest: {
            /** @description By default the latest of the caller for this version */
            upload_id?: string | null;
        };
        ContaminationSource: {
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "dataset" | "model" | "capability" | "task" | "session" | "evaluation" | "finding" | "review" | "assessment" | "optimization_job" | "training_job" | "gate_check";
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Name */
            name: string | null;
            /** @description Version */
            version: string | null;
        };
        CreateAssessmentRequest: {
            /** @description Name */
            name: string;
            /** @description Description for people */
            description?: string | null;
            /** @description Attacks with their parameters */
            attack_manifest?: ({
                [key: string]: unknown;
            }[] | ({
                /** @description Attacks */
                attacks?: {
                    [key: string]: unknown;
                }[] | null;
            } & {
                [key: string]: unknown;
            })) | null;
            /** @description Settings of the attacking model */
            attacker_config?: ({
                /** @description `attacker_model` by default */
                model?: string | null;
                /** @description Model that writes the attacks */
                attacker_model?: string | null;
                /** @description `judge_model` by default */
                evaluator_model?: string | null;
                /** @description What judges the responses */
                judge?: string | null;
                /** @description Randomness of the responses; 0 for the least */
                temperature?: number | null;
                /** @description Most tokens of one response */
                max_tokens?: number | null;
                /** @description 0 by default; the same seed and models give the same trials */
                seed?: number | null;
                /** @description Findings that run at once; 8 by default */
                concurrency?: number | null;
                /** @description The run ends once it has cost as much */
                budget_usd?: number | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Settings of the target */
            target_config?: {
                [key: string]: unknown;
            } | null;
            /** @description Model that writes the attacks */
            attacker_model?: string | null;
            /** @description Model that judges the responses */
            judge_model?: string | null;
            /** @description Model that is attacked */
            target_model?: string | null;
            /** @description Id of a run outside Drydock that this belongs to */
            workflow_run_id?: string | null;
            /** @description Script of a run outside Drydock that this belongs to */
            workflow_script?: string | null;
            /** @description Id of the runtime */
            runtime_id?: string | null;
            /** @description Id of the session */
            session_id?: string | null;
        };
        CreateReportRequest: {
            /**
             * @description Form of the report
             * @enum {string}
             */
            report_type: "markdown" | "json" | "html" | "sarif" | "executive_summary";
            /** @description Stored as it is. Without content and content_json, the report is generated. */
            content?: string | null;
            /** @description Content of a report in JSON */
            content_json?: {
                [key: string]: unknown;
            } | null;
        };
        CreditAdjustment: {
            /** @description Positive adds, negative takes back at most what is available */
            amount: number;
            /** @description Note for people */
            note?: string | null;
            /** @description Idempotency key, unique in the organization; generated by default */
            reference?: string | null;
        };
        CreditBalance: {
            /** @description The sum of the ledger, in credits: 1,000 to the US dollar */
            balance: number;
            /** @description Held back for what runs */
            reserved: number;
            /** @description The balance without what is reserved */
            available: number;
            /**
             * @description "unlimited": all is counted, and nothing refused
             * @enum {string}
             */
            mode: "unlimited" | "enforced";
            /** @description Where credits are enforced: fewer than 1,000 are available */
            is_low_balance: boolean;
        };
        CreditTransaction: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "adjustment" | "charge";
            /** @description Reference of the entry: a model call, a run of a sandbox, or the reference of the adjustment */
            reference: string;
            /** @description Positive adds, negative takes */
            amount: number;
            /** @description User who made the adjustment; null for a charge */
            actor_id: string | null;
            /** @description Note for people */
            note: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        CreditTransactionPage: {
            /** @description The entries of this page */
            items: components["schemas"]["CreditTransaction"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        DatasetColumn: {
            /** @description Name */
            name: string;
            /** @description As DuckDB writes it, such as `BIGINT` or `STRUCT(a VARCHAR, b DOUBLE[])` */
            type: string;
        };
        DatasetDetail: {
            /**
             * Format: uuid
             * @description Of this version
             */
            id: string;
            /** @description With the key of its organization: `org/name` */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Tags */
            tags: string[] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            /** @description How many versions there are */
            version_count: number;
            /** @description License, as an SPDX identifier where there is one */
            license: string | null;
            /** @description Kinds of task that it is for */
            task_categories: string[] | null;
            /** @description Of all splits */
            row_count: number | null;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            /**
             * Format: uuid
             * @description Id of the organization
             */
            organization_id: string;
            /** @description Slug of the organization */
            org_key: string;
            /** @description Over the manifest and the files, in hexadecimal */
            digest: string;
            /** @description Manifest, as it was published */
            manifest: {
                [key: string]: unknown;
            };
            /** @description How many files it has */
            file_count: number;
            /** @description User who published this version; for members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /** @description Splits of the dataset */
            splits: {
                /** @description Name */
                name: string;
                /** @description Path below the root */
                path: string;
                /** @description `jsonl`, `csv` or `parquet` */
                format: string;
                /** @description Size in bytes */
                size_bytes: number;
                /** @description How many rows it has */
                row_count: number;
                /** @description Columns */
                columns: {
                    /** @description Name */
                    name: string;
                    /** @description Type */
                    type: string;
                }[];
            }[];
        };
        DatasetDownloadRequest: {
            /**
             * @description `raw`: as it was published, several files as one tar.gz
             * @default raw
             * @enum {string}
             */
            format?: "raw" | "parquet" | "csv" | "jsonl";
            /** @description Needed by all formats but `raw` when there are several */
            split?: string | null;
        };
        DatasetDownloadResponse: {
            /** @description Id of the download */
            download_id: string;
            /**
             * @description `preparing`: ask again in a moment. `failed`: asking again retries
             * @enum {string}
             */
            status: "ready" | "preparing" | "failed";
            /** @description Anyone with this URL can download until it expires */
            url: string | null;
            /** @description Name of the file */
            filename: string | null;
            /** @description When the link becomes invalid; null while there is no link */
            expires_at: string | null;
        };
        DatasetFromSessionsRequest: {
            /** @description Of the dataset */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary?: string | null;
            /** @description As for the list of sessions and its facets */
            filter?: {
                /**
                 * Format: uuid
                 * @description Of this owner
                 */
                user_id?: string;
                /** @description Of any of these owners: ids or usernames */
                user?: string[];
                /** @description Of any of these projects: ids or keys */
                project_id?: string[];
                /** @description With any of these agents */
                agent?: string[];
                /** @description With any of these models */
                model?: string[];
                /** @description With any of these origins */
                origin?: ("user" | "worker" | "eval" | "optimization" | "training" | "world")[];
                /**
                 * @description `active`: not archived; `inactive`: archived or frozen
                 * @default active
                 * @enum {string}
                 */
                archived?: "active" | "inactive" | "archived" | "any";
                /** @description `key:value`, split at the first colon; any value of the same key, and all keys */
                label?: string[];
                /** @description Part of the title, the preview or a message, case-insensitive */
                search?: string;
                /**
                 * @description Every origin, where `origin` names none; else only sessions of users
                 * @default false
                 */
                include_workload_sessions?: boolean;
            } | null;
            /** @description Only these sessions */
            session_ids?: string[] | null;
            /** @description Only sessions of samples of these evaluations, with their scores */
            evaluation_ids?: string[] | null;
            /** @description Of the sample; needs evaluation_ids */
            min_score?: number | null;
            /** @description Only samples that passed, or that did not; needs evaluation_ids */
            passed?: boolean | null;
            /**
             * @description Format
             * @default openai
             * @enum {string}
             */
            format?: "openai" | "atif";
            /**
             * @description Of conversations that are the same, keep the first
             * @default true
             */
            dedupe?: boolean;
            /**
             * @description Share of the conversations that become the split `validation`
             * @default 0
             */
            validation_fraction?: number;
            /**
             * @description Chooses the conversations of the validation
             * @default 0
             */
            seed?: number;
            /**
             * @description The newest ones; of named sessions the first ones
             * @default 1000
             */
            max_sessions?: number;
        };
        DatasetFromSessionsResponse: {
            /** @description Name */
            name: string;
            /** @description Version */
            version: string;
            /** @description Format */
            format: string;
            /** @description That matched */
            sessions: number;
            /** @description How many rows it has */
            rows: number;
            /** @description That were left out */
            duplicates: number;
            /** @description Skipped sessions: without an assistant message, deleted, or not visible to you */
            empty_sessions: number;
            /** @description Rows of each */
            splits: {
                [key: string]: number;
            };
        };
        DatasetListResponse: {
            /** @description Datasets */
            datasets: components["schemas"]["DatasetSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
        };
        /** @description A value for each column. Integers have all their digits, also beyond 2^53 */
        DatasetRow: {
            [key: string]: unknown;
        };
        DatasetRowsResponse: {
            /** @description Columns */
            columns: components["schemas"]["DatasetColumn"][];
            /** @description Rows */
            rows: components["schemas"]["DatasetRow"][];
            /** @description Rows of the split, or those that the search finds */
            total: number;
        };
        DatasetSummary: {
            /**
             * Format: uuid
             * @description Of this version
             */
            id: string;
            /** @description With the key of its organization: `org/name` */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Tags */
            tags: string[] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            /** @description How many versions there are */
            version_count: number;
            /** @description License, as an SPDX identifier where there is one */
            license: string | null;
            /** @description Kinds of task that it is for */
            task_categories: string[] | null;
            /** @description Of all splits */
            row_count: number | null;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
        };
        DeviceApproval: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Code that the device shows */
            user_code: string;
            /**
             * @description Whether it is done
             * @constant
             */
            completed: true;
            /**
             * Format: uuid
             * @description Id of the user
             */
            user_id: string;
        };
        DeviceApprovalRequest: {
            /** @description Case, dashes and spaces do not matter */
            user_code: string;
        };
        DeviceCode: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description For the program alone: whoever has it gets the tokens */
            device_code: string;
            /** @description To be shown to the user */
            user_code: string;
            /** @description For a console that shows a page there; the approval itself is `POST /auth/device/approve` */
            verification_url: string;
            /**
             * Format: date-time
             * @description When it becomes invalid
             */
            expires_at: string;
            /** @description Seconds that are left */
            expires_in: number;
            /** @description A user has approved it */
            completed: boolean;
            /** @description User who approved it */
            user_id: string | null;
        };
        DeviceTokenRequest: {
            /** @description Code that the device polls with */
            device_code: string;
        };
        DeviceTokens: {
            /** @description Access token, for the header "Authorization: Bearer" */
            access_token: string;
            /**
             * @description How the token is sent
             * @constant
             */
            token_type: "Bearer";
            /** @description Seconds until the access token expires */
            expires_in: number;
            /** @description Good for one refresh within 30 days */
            refresh_token: string;
        };
        EmbeddingList: {
            /**
             * @description Type of the object, as in OpenAI's API
             * @constant
             */
            object: "list";
            /** @description Data */
            data: {
                /**
                 * @description Type of the object, as in OpenAI's API
                 * @constant
                 */
                object: "embedding";
                /** @description Position in the list, from 0 */
                index: number;
                /** @description The vector, as numbers or in base64 */
                embedding: number[] | string;
            }[];
            /** @description Name of the model */
            model: string;
            /** @description Tokens that were used */
            usage: {
                /** @description Tokens of the prompt */
                prompt_tokens: number;
                /** @description All tokens together */
                total_tokens: number;
            };
        } & {
            [key: string]: unknown;
        };
        EmbeddingRequest: {
            /** @description `provider/name`, as GET …/inference/v1/models lists them */
            model: string;
            /** @description A text, a list of texts, or tokens for a provider that takes them */
            input: string | string[] | number[] | number[][];
            /** @description Numbers by default, or the base64 of 32-bit floats, lowest byte first */
            encoding_format?: ("float" | "base64") | null;
            /** @description Length of the vectors; null for the default of the model */
            dimensions?: number | null;
        } & {
            [key: string]: unknown;
        };
        ErrorResponse: {
            /** @description The HTTP status */
            code: 400 | 401 | 403 | 404 | 409 | 422 | 426 | 429 | 500 | 502 | 504;
            /** @description Human-readable message */
            detail: string;
            /**
             * @description Type
             * @enum {string}
             */
            type: "already_exists_error" | "app_error" | "authentication_error" | "bad_gateway_error" | "cloud_error" | "configuration_error" | "conflict_error" | "database_error" | "expired_signature_error" | "expired_token_error" | "forbidden_error" | "gateway_timeout_error" | "group_error" | "invalid_error" | "invalid_flag_error" | "invalid_username_error" | "keyvalue_store_error" | "mail_error" | "member_exists_error" | "member_limit_exceeded_error" | "migration_lock_timeout_error" | "not_found_error" | "oauth_config_error" | "object_storage_error" | "org_sandbox_capacity_exceeded_error" | "payment_provider_error" | "sandbox_provider_error" | "sandbox_provider_rate_limit_error" | "server_error" | "task_error" | "task_set_not_found" | "token_error" | "upgrade_required_error" | "usage_limit_exceeded_error" | "user_suspended" | "user_verification_error" | "validation_error";
            /** @description Mistakes of the request, one by one */
            errors?: components["schemas"]["ValidationErrorItem"][] | null;
        };
        EvaluationAnalyticsResponse: {
            /**
             * Format: uuid
             * @description Id of the evaluation
             */
            evaluation_id: string;
            /** @description How many samples there are */
            total_samples: number;
            /** @description How many samples passed */
            passed_count: number;
            /** @description Samples that failed or ran out of time */
            failed_count: number;
            /** @description Samples that could not run; in no rate */
            error_count: number;
            /** @description Passed of passed and failed; null before the first result */
            pass_rate: number | null;
            /** @description Wilson interval; with repetitions, by the effective number of samples */
            pass_rate_interval: {
                /** @description Lower end of the interval */
                low: number;
                /** @description Upper end of the interval */
                high: number;
                /** @description Level of confidence, such as 0.95 */
                level: number;
            } | null;
            /** @description Mean of the scores; null without scores */
            mean_score: number | null;
            /** @description Chance that one of k samples passes, for k up to the fewest results of a task */
            pass_at_k: {
                [key: string]: number;
            };
            /** @description Samples whose task or row was used to train or optimize the model or capability under test */
            contaminated_count: number;
            /** @description The same figures without contaminated samples */
            uncontaminated: {
                /** @description How many samples there are */
                total_samples: number;
                /** @description How many samples passed */
                passed_count: number;
                /** @description Samples that failed or ran out of time */
                failed_count: number;
                /** @description Samples that could not run; in no rate */
                error_count: number;
                /** @description Passed of passed and failed; null before the first result */
                pass_rate: number | null;
                /** @description Wilson interval; with repetitions, by the effective number of samples */
                pass_rate_interval: {
                    /** @description Lower end of the interval */
                    low: number;
                    /** @description Upper end of the interval */
                    high: number;
                    /** @description Level of confidence, such as 0.95 */
                    level: number;
                } | null;
                /** @description Mean of the scores; null without scores */
                mean_score: number | null;
            };
            /** @description Empty for a dataset */
            by_task: components["schemas"]["EvaluationTaskResult"][];
            /** @description Figures of each tag */
            by_tag: {
                /** @description Tag */
                tag: string;
                /** @description How many samples there are */
                total: number;
                /** @description How many samples passed */
                passed: number;
                /** @description Failed or ran out of time */
                failed: number;
                /** @description Could not run */
                errors: number;
                /** @description Passed of passed and failed; null before the first result */
                pass_rate: number | null;
                /** @description Wilson interval; with repetitions, by the effective number of samples */
                pass_rate_interval: {
                    /** @description Lower end of the interval */
                    low: number;
                    /** @description Upper end of the interval */
                    high: number;
                    /** @description Level of confidence, such as 0.95 */
                    level: number;
                } | null;
                /** @description Mean of the scores; null without scores */
                mean_score: number | null;
            }[];
            /** @description Figures of each difficulty */
            by_difficulty: {
                /** @description Difficulty */
                difficulty: string;
                /** @description How many samples there are */
                total: number;
                /** @description How many samples passed */
                passed: number;
                /** @description Failed or ran out of time */
                failed: number;
                /** @description Could not run */
                errors: number;
                /** @description Passed of passed and failed; null before the first result */
                pass_rate: number | null;
                /** @description Wilson interval; with repetitions, by the effective number of samples */
                pass_rate_interval: {
                    /** @description Lower end of the interval */
                    low: number;
                    /** @description Upper end of the interval */
                    high: number;
                    /** @description Level of confidence, such as 0.95 */
                    level: number;
                } | null;
                /** @description Mean of the scores; null without scores */
                mean_score: number | null;
            }[];
            /** @description Samples by the reason for which their agent ended */
            stop_reasons: {
                [key: string]: number;
            };
            /** @description Of all attempts */
            cost_usd: number;
            /** @description The cost by samples with a result */
            cost_per_sample_usd: number | null;
            /** @description Of the attempts that count */
            tokens: {
                /** @description Input tokens, without those from a cache */
                input: number;
                /** @description Output tokens */
                output: number;
                /** @description Input tokens that were read from a cache */
                cache_read: number;
                /** @description Input tokens that were written to a cache */
                cache_creation: number;
            };
            /** @description Of samples with a result */
            turns: {
                /** @description Median */
                p50: number | null;
                /** @description 95th percentile */
                p95: number | null;
            };
            /** @description Of samples with a result */
            durations_ms: {
                /** @description Median */
                p50: number | null;
                /** @description 95th percentile */
                p95: number | null;
            };
        };
        EvaluationCapability: {
            /** @description Name */
            name: string;
            /** @description The newest release by default; pinned at creation */
            version?: string | null;
        };
        EvaluationCountsEvent: {
            /** @description How many samples are in each state */
            item_counts: {
                [key: string]: number;
            };
        };
        EvaluationCreateRequest: {
            /** @description Name */
            name: string;
            /** @description A model of the gateway, such as `sim/tool-user` */
            model: string;
            /** @description Tasks, as name or name@version */
            task_names?: string[] | null;
            /** @description Name of the task set */
            task_set?: string | null;
            dataset?: components["schemas"]["EvaluationDataset"] | null;
            /** @description Scorers of the answers */
            scorers?: components["schemas"]["Scorer"][] | null;
            /** @description An agent of the capability, or a program that is the agent; by default `basic` for tasks, and a single model call for datasets */
            agent?: (string | components["schemas"]["AgentCommand"]) | null;
            capability?: components["schemas"]["EvaluationCapability"] | null;
            /**
             * @description Samples of each task or row
             * @default 1
             */
            repetitions?: number;
            /**
             * @description How many samples run at the same time
             * @default 4
             */
            concurrency?: number;
            /** @description Of each sample */
            limits?: components["schemas"]["EvaluationLimits"] | null;
            /** @description The same as limits.task_timeout_seconds */
            task_timeout_sec?: number | null;
            /** @description Budget of the whole evaluation; it pauses when the budget is reached */
            budget_usd?: number | null;
            /**
             * @description Attempts after an infrastructure error
             * @default 2
             */
            max_retries?: number;
            /** @description A runtime of yours whose configuration is the template of every sandbox */
            runtime_id?: string | null;
            /** @description Id of the project; null for none */
            project_id?: string | null;
            /** @description Ids of the secrets that become environment variables */
            secret_ids?: string[] | null;
            /** @description Seed of the random choices, for the same choices again */
            seed?: number | null;
            /** @description Tags */
            tags?: string[] | null;
        };
        EvaluationDataset: {
            /** @description `name`, or `org/name` of a public dataset */
            name: string;
            /** @description Version */
            version: string;
            /** @description Split of the dataset */
            split?: string | null;
            /** @description A column, or a text with `{{column}}` in it */
            input: string;
            /** @description A column, or a text with `{{column}}` in it */
            expected?: string | null;
            /** @description A column, or a text with `{{column}}` in it */
            system?: string | null;
            /** @description Path in the sandbox to a column or template; for agents */
            files?: {
                [key: string]: string;
            } | null;
        };
        EvaluationEstimateResponse: {
            /** @description How many samples there are */
            total_samples: number;
            /** @description Sandboxes that are started if nothing is tried again */
            sandboxes: number;
            /** @description An assumption: what the instructions have, over the turns that agents take */
            input_tokens: number;
            /** @description Tokens that the models generated */
            output_tokens: number;
            /** @description Of these tokens, by the price list */
            cost_usd: number;
            /** @description What limits and budget allow; null without either */
            max_cost_usd: number | null;
            /** @description Members of the task set that cannot be run */
            skipped_members: {
                /** @description Name of the task */
                task_name: string;
                /** @description Version of the task; null for the latest */
                task_version: string | null;
                /** @description Why */
                reason: string;
            }[];
        };
        EvaluationFacetEntry: {
            /** @description Value */
            value: string;
            /** @description How many there are */
            count: number;
        };
        EvaluationFacetsResponse: {
            /** @description Counted without the filter `status` */
            statuses: components["schemas"]["EvaluationFacetEntry"][];
            /** @description Counted without the filter `model`; at most 100, the most frequent first */
            models: components["schemas"]["EvaluationFacetEntry"][];
        };
        EvaluationItem: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the evaluation
             */
            evaluation_id: string;
            /** @description Position in the list, from 0 */
            position: number;
            /** @description Name of the task */
            task_name: string | null;
            /** @description Version of the task; null for the latest */
            task_version: string | null;
            /** @description Row of the dataset, from 0 */
            row_index: number | null;
            /** @description Which repetition, from 1 */
            sample: number;
            /**
             * @description State of the sample
             * @enum {string}
             */
            item_status: "queued" | "claiming" | "provisioning" | "agent_running" | "agent_finished" | "verifying" | "passed" | "failed" | "timed_out" | "cancelled" | "infra_error";
            /** @description How often the sample was tried again */
            retry_count: number;
            /** @description Number of retries of a sample after an infrastructure error */
            max_retries: number;
            /** @description Whether the task or row was used to train or optimize the model or capability under test */
            contaminated: boolean;
            /** @description The nearest job or dataset that used it */
            contaminated_by: components["schemas"]["ContaminationSource"] | null;
            /**
             * Format: date-time
             * @description When it was queued
             */
            queued_at: string;
            /** @description Whether it passed */
            passed: boolean | null;
            /** @description Score */
            score: number | null;
            /** @description Scores by scorer */
            scores: {
                [key: string]: {
                    /** @description Value */
                    value: number | null;
                    /** @description Whether it passed */
                    passed: boolean | null;
                    /** @description Why the score is what it is */
                    explanation: string | null;
                    /** @description Why it failed; null where it did not */
                    error: string | null;
                };
            };
            /** @description Figures that the verification reported */
            metrics: {
                [key: string]: unknown;
            } | null;
            /** @description Why it stopped */
            stop_reason: string | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Kind of error */
            error_kind: ("agent" | "verifier" | "limit" | "infra") | null;
            /** @description Id of the session */
            session_id: string | null;
            /** @description Id of the sandbox that the agent worked in */
            agent_sandbox_id: string | null;
            /** @description The sandbox of the verification */
            env_sandbox_id: string | null;
            /** @description Resources that the task asks for */
            requested_resources: {
                [key: string]: number;
            } | null;
            /** @description Resources that the sandbox was held to */
            enforced_resources: {
                [key: string]: number;
            } | null;
            /** @description Tokens that were used */
            usage: {
                /** @description Tokens that the models read, without those from a cache */
                input_tokens: number;
                /** @description Tokens that the models generated */
                output_tokens: number;
                /** @description Input tokens that were read from a cache */
                cache_read_input_tokens: number;
                /** @description Input tokens that were written to a cache */
                cache_creation_input_tokens: number;
                /** @description Cost in US dollars */
                cost_usd: number;
            };
            /** @description How many turns the agent took */
            turn_count: number;
            /** @description At most 4 KiB of it */
            answer: string | null;
            /** @description Outcome of the verification */
            verification: {
                /** @description Exit code of the command */
                exit_code: number | null;
                /** @description Standard output, shortened where it is long */
                stdout: string;
                /** @description Standard error, shortened where it is long */
                stderr: string;
                /** @description How long it took, in milliseconds */
                duration_ms: number;
            } | null;
            /** @description Files in /workspace that were written while the agent ran, at most 200 */
            changed_files: {
                /** @description Path below the root */
                path: string;
                /** @description Size in bytes */
                size_bytes: number;
            }[] | null;
            /** @description How long it took, in milliseconds */
            duration_ms: number | null;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When the agent ended */
            agent_finished_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
        };
        EvaluationItemAttempt: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description From 1 */
            number: number;
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "claiming" | "provisioning" | "agent_running" | "agent_finished" | "verifying" | "passed" | "failed" | "timed_out" | "cancelled" | "infra_error";
            /** @description Only the last attempt counts */
            is_counted: boolean;
            /** @description Whether it passed */
            passed: boolean | null;
            /** @description Score */
            score: number | null;
            /** @description Scores by scorer */
            scores: {
                [key: string]: {
                    /** @description Value */
                    value: number | null;
                    /** @description Whether it passed */
                    passed: boolean | null;
                    /** @description Why the score is what it is */
                    explanation: string | null;
                    /** @description Why it failed; null where it did not */
                    error: string | null;
                };
            };
            /** @description Figures that the verification reported */
            metrics: {
                [key: string]: unknown;
            } | null;
            /** @description Why it stopped */
            stop_reason: string | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Kind of error */
            error_kind: ("agent" | "verifier" | "limit" | "infra") | null;
            /** @description Id of the session */
            session_id: string | null;
            /** @description Id of the sandbox that the agent worked in */
            agent_sandbox_id: string | null;
            /** @description The sandbox of the verification */
            env_sandbox_id: string | null;
            /** @description Resources that the task asks for */
            requested_resources: {
                [key: string]: number;
            } | null;
            /** @description Resources that the sandbox was held to */
            enforced_resources: {
                [key: string]: number;
            } | null;
            /** @description Tokens that were used */
            usage: {
                /** @description Tokens that the models read, without those from a cache */
                input_tokens: number;
                /** @description Tokens that the models generated */
                output_tokens: number;
                /** @description Input tokens that were read from a cache */
                cache_read_input_tokens: number;
                /** @description Input tokens that were written to a cache */
                cache_creation_input_tokens: number;
                /** @description Cost in US dollars */
                cost_usd: number;
            };
            /** @description How many turns the agent took */
            turn_count: number;
            /** @description At most 4 KiB of it */
            answer: string | null;
            /** @description Outcome of the verification */
            verification: {
                /** @description Exit code of the command */
                exit_code: number | null;
                /** @description Standard output, shortened where it is long */
                stdout: string;
                /** @description Standard error, shortened where it is long */
                stderr: string;
                /** @description How long it took, in milliseconds */
                duration_ms: number;
            } | null;
            /** @description Files in /workspace that were written while the agent ran, at most 200 */
            changed_files: {
                /** @description Path below the root */
                path: string;
                /** @description Size in bytes */
                size_bytes: number;
            }[] | null;
            /** @description How long it took, in milliseconds */
            duration_ms: number | null;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When the agent ended */
            agent_finished_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
        };
        EvaluationItemEvent: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Position in the list, from 0 */
            position: number;
            /**
             * @description State of the sample
             * @enum {string}
             */
            item_status: "queued" | "claiming" | "provisioning" | "agent_running" | "agent_finished" | "verifying" | "passed" | "failed" | "timed_out" | "cancelled" | "infra_error";
            /** @description Whether it passed */
            passed: boolean | null;
        };
        EvaluationItemListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["EvaluationItem"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        EvaluationItemSearchHit: {
            /**
             * Format: uuid
             * @description Id of the sample
             */
            item_id: string;
            /** @description Messages that match; 0 when only the error or the name of the task does */
            match_count: number;
            /**
             * @description The first of these that matches
             * @enum {string}
             */
            matched_in: "transcript" | "error" | "task_name";
            /** @description Id of the session */
            session_id: string | null;
            /** @description At most 200 characters around the first match */
            snippet: string | null;
        };
        EvaluationItemSearchResponse: {
            /** @description The first 200 samples that match, in their order */
            matches: components["schemas"]["EvaluationItemSearchHit"][];
            /** @description Samples in this response */
            total: number;
            /** @description Whether more than 200 samples match */
            has_more: boolean;
        };
        EvaluationLimits: {
            /**
             * @description Maximum number of turns of the agent
             * @default 50
             */
            max_turns?: number;
            /** @description Most tokens of one response */
            max_output_tokens?: number | null;
            /** @description Most that a sample may cost, in US dollars */
            max_cost_usd?: number | null;
            /** @description Time limit of a sample, in seconds */
            task_timeout_seconds?: number | null;
        };
        EvaluationListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["EvaluationResponse"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        EvaluationLogEvent: {
            /** @description Id of the sample */
            item_id: string | null;
            /** @description Message */
            message: string;
        };
        EvaluationResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Name */
            name: string;
            /** @description Name of the model */
            model: string;
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
            /** @description Tasks, as name or name@version */
            task_names: string[] | null;
            /** @description Name of the task set */
            task_set: string | null;
            /** @description Dataset */
            dataset: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Split of the dataset */
                split?: string | null;
                /** @description Column with the prompt, or a template with {{column}} */
                input: string;
                /** @description Text that a correct answer contains */
                expected?: string | null;
                /** @description System prompt */
                system?: string | null;
                /** @description Files */
                files?: {
                    [key: string]: string;
                } | null;
            } | null;
            /** @description Scorers of the answers */
            scorers: {
                /**
                 * @description Type
                 * @enum {string}
                 */
                type: "exact" | "contains" | "numeric" | "reward";
                /** @description Name */
                name: string;
                /** @description Value */
                value?: string | number | null;
                /** @description Column of the dataset */
                column?: string | null;
                /** @description Whether upper and lower case are the same */
                ignore_case?: boolean;
                /** @description Whether white space at both ends is left out */
                trim?: boolean;
                /** @description How far a number may be off */
                tolerance?: number;
                /** @description Reward recipe */
                recipe?: {
                    /** @description Name */
                    name: string;
                    /** @description Parameters */
                    params: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description Agent that does the work */
            agent: (string | components["schemas"]["ProgramAgent"]) | null;
            /** @description Capability, by name, or by name and version */
            capability: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
            } | null;
            /** @description How often each task is run */
            repetitions: number;
            /** @description How many samples run at the same time */
            concurrency: number;
            /** @description Limits of each sample */
            limits: {
                /** @description Maximum number of turns of the agent */
                max_turns: number;
                /** @description Most tokens of one response */
                max_output_tokens?: number | null;
                /** @description Most that a sample may cost, in US dollars */
                max_cost_usd?: number | null;
                /** @description Time limit of a sample, in seconds */
                task_timeout_seconds?: number | null;
            };
            /** @description Most that the evaluation may cost, in US dollars */
            budget_usd: number | null;
            /** @description Number of retries of a sample after an infrastructure error */
            max_retries: number;
            /** @description Id of the runtime */
            runtime_id: string | null;
            /** @description Id of the project; null for none */
            project_id: string | null;
            /** @description Ids of the secrets that become environment variables */
            secret_ids: string[];
            /** @description Seed of the random choices, for the same choices again */
            seed: number | null;
            /** @description Tags */
            tags: string[];
            /** @description How many samples are in each state */
            item_counts: {
                [key: string]: number;
            };
            /** @description How many samples there are */
            total_samples: number;
            /** @description How many samples passed */
            passed_count: number;
            /** @description Samples that failed or ran out of time */
            failed_count: number;
            /** @description Samples that could not run */
            error_count: number;
            /** @description Passed of passed and failed; null before the first result */
            pass_rate: number | null;
            /** @description Mean of the scores; null without scores */
            mean_score: number | null;
            /** @description Members of the task set that did not resolve */
            skipped_members: {
                /** @description Name of the task */
                task_name: string;
                /** @description Version of the task; null for the latest */
                task_version: string | null;
                /** @description Why */
                reason: string;
            }[];
            /** @description Why it stopped */
            stop_reason: string | null;
            /** @description Why it is paused */
            pause_reason: string | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Of all attempts */
            cost_usd: number;
            /** @description Requested number of parallel samples */
            requested_concurrency: number;
            /** @description Samples that run at once: fewer than requested where the organization may have fewer sandboxes */
            effective_concurrency: number;
            /** @description The analytics as of its end; null in lists */
            analytics_snapshot: {
                [key: string]: unknown;
            } | null;
            /** @description By task; null in lists */
            task_breakdown: components["schemas"]["EvaluationTaskResult"][] | null;
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
        };
        EvaluationRetryRequest: {
            /** @description States of the samples to retry */
            states?: ("failed" | "infra_error" | "timed_out")[] | null;
        };
        EvaluationStateEvent: {
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
            /** @description Why it is paused */
            pause_reason?: string | null;
            /** @description Why it failed; null where it did not */
            error?: string | null;
        };
        EvaluationTaskResult: {
            /** @description Name of the task */
            task_name: string;
            /** @description How many samples there are */
            total: number;
            /** @description How many samples passed */
            passed: number;
            /** @description Failed or ran out of time */
            failed: number;
            /** @description Could not run */
            errors: number;
            /** @description Passed of passed and failed; null before the first result */
            pass_rate: number | null;
            /** @description Wilson interval; with repetitions, by the effective number of samples */
            pass_rate_interval: {
                /** @description Lower end of the interval */
                low: number;
                /** @description Upper end of the interval */
                high: number;
                /** @description Level */
                level: number;
            } | null;
            /** @description Mean of the scores; null without scores */
            mean_score: number | null;
        };
        EvaluationUpdateRequest: {
            /** @description Name */
            name?: string;
            /** @description How many samples run at the same time */
            concurrency?: number;
            /** @description Paused: samples under way finish, and no more begin */
            paused?: boolean;
            /** @description Most that the evaluation may cost, in US dollars */
            budget_usd?: number | null;
            /** @description Tags */
            tags?: string[];
        };
        ExportJobResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description When it ended, however it did */
            completed_at: string | null;
            /** @description Why it failed */
            error_message: string | null;
            /** @description The file, in Parquet: for whoever has the link, until it expires */
            presigned_url: string | null;
            /** @description A day after its end; then the file is deleted */
            url_expires_at: string | null;
            /** @description Size of the file in bytes */
            file_size_bytes: number;
            /** @description How many rows it has */
            row_count: number;
            /** @description Rows that were read for it so far: its progress */
            rows_read: number;
        };
        ExportListResponse: {
            /** @description Exports of this page */
            exports: components["schemas"]["ExportJobResponse"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
        };
        ExportRequest: {
            /** @description One SELECT, in the dialect of DuckDB; `GET …/query/schema` tells the tables */
            query: string;
            /**
             * @description More are left out
             * @default 10000000
             */
            max_rows?: number;
            /** @description Only rows of this project, where rows belong to one */
            project_id?: string | null;
        };
        ExportTraceAnswer: {
            /** @description Only where spans were rejected */
            partialSuccess?: {
                /** @description How many, as a 64-bit integer is written in OTLP */
                rejectedSpans: string;
                /** @description Why */
                errorMessage: string;
            };
        };
        /** @description An ExportTraceServiceRequest of OTLP */
        ExportTraceRequest: {
            /** @description Spans by resource, as OTLP has them */
            resourceSpans?: components["schemas"]["OtlpResourceSpans"][];
        };
        FindingDetail: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the assessment
             */
            assessment_id: string;
            /** @description Name of the assessment */
            assessment_name: string | null;
            /** @description Name of the attack */
            attack_name: string;
            /** @description What the attack tries to make the target do */
            goal: string;
            /** @description Category of harm of the goal */
            goal_category: string | null;
            /** @description Category */
            category: string | null;
            /** @description Finer category */
            sub_category: string | null;
            /** @description Domain of the risk */
            risk_domain: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            /**
             * @description Severity
             * @enum {string}
             */
            severity: "critical" | "high" | "medium" | "low" | "info";
            /** @description Severity before it was first changed */
            original_severity: string | null;
            /**
             * @description What was decided about the finding
             * @enum {string}
             */
            finding_status: "open" | "false_positive" | "accepted_risk" | "remediated" | "incorrect_scoring";
            /**
             * @description What the finding is
             * @enum {string}
             */
            finding_type: "jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust";
            /** @description Whether the target did what it must not do */
            is_jailbreak: boolean;
            /** @description Highest score of all trials */
            best_score: number | null;
            /** @description How many trials have ended */
            finished_trials: number;
            /** @description How many trials there are */
            total_trials: number;
            /** @description Share of finished trials in which the target held */
            pass_rate: number | null;
            success: components["schemas"]["AirtSuccessRate"];
            /** @description How long it ran, in seconds */
            execution_time_s: number | null;
            /** @description Controls of frameworks that the finding touches */
            compliance_tags: {
                [key: string]: string[];
            } | null;
            /** @description Transforms that the prompt went through */
            transforms_applied: string[] | null;
            /** @description Model that is attacked */
            target_model: string | null;
            /** @description Model that writes the attacks */
            attacker_model: string | null;
            /** @description Model that judges the responses */
            evaluator_model: string | null;
            /** @description Notes of people */
            notes: string | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Cost in US dollars */
            cost_usd: number;
            /** @description Id of the trace */
            trace_id: string | null;
            /** @description Id of the span */
            span_id: string | null;
            /** @description Class that the classifier was misled to */
            adversarial_class: string | null;
            /** @description Domain of the attack */
            attack_domain: string | null;
            /** @description Norm of the distance between original and adversarial input */
            distance_norm: string | null;
            /** @description Distance between original and adversarial input */
            distance_value: number | null;
            /** @description Modality of the input */
            input_modality: string | null;
            /** @description Class of the original input */
            original_class: string | null;
            /** @description Prompt with the highest score, before the transforms */
            best_candidate: string | null;
            /** @description Prompt with the highest score, after the transforms */
            best_transformed_prompt: string | null;
            /** @description Response with the highest score */
            best_response: string | null;
            /** @description Why the judge gave the highest score */
            best_judge_reasoning: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description When it was last changed */
            updated_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
            /** @description What people decided, in order */
            review_events: components["schemas"]["FindingReviewEvent"][];
            /** @description Trials with the highest scores */
            top_trials: components["schemas"]["TrialEvidence"][];
            /** @description The finding that this one tries again */
            retest_of: string | null;
            /** @description Newest first */
            retests: components["schemas"]["AirtRetest"][];
            /** @description The newest proof that the attack works or no longer works: a retest, or a check of a gate. Where it is fixed, the finding can be marked as remediated */
            remediation: components["schemas"]["FindingRemediation"] | null;
        };
        FindingListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["FindingSummary"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description Number of this page, from 1 */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        FindingRemediation: {
            /** @description Every trial or sample held */
            is_fixed: boolean;
            /** @description What was tried, such as a capability with its version */
            target: string;
            after: components["schemas"]["AirtSuccessRate"];
            /** @description Name of the gate; null for a retest */
            gate: string | null;
            /** @description Id of the gate check */
            gate_check_id: string | null;
            /** @description In which the attack ran again */
            assessment_id: string | null;
            /** @description In which its regression task ran */
            evaluation_id: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        FindingReviewEvent: {
            /** @description Type before the change */
            original_finding_type: string | null;
            /** @description Severity before it was first changed */
            original_severity: string | null;
            /** @description State before the change */
            original_status: string | null;
            /** @description Type after the change */
            updated_finding_type: string | null;
            /** @description Severity after the change */
            updated_severity: string | null;
            /** @description State after the change */
            updated_status: string | null;
            /** @description Reasoning */
            reasoning: string | null;
            /** @description A username, or `system` */
            updated_by: string | null;
            /** @description When it was last changed */
            updated_at: string | null;
            /** @description Id of the retest */
            retest_id?: string | null;
        };
        FindingSummary: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the assessment
             */
            assessment_id: string;
            /** @description Name of the assessment */
            assessment_name: string | null;
            /** @description Name of the attack */
            attack_name: string;
            /** @description What the attack tries to make the target do */
            goal: string;
            /** @description Category of harm of the goal */
            goal_category: string | null;
            /** @description Category */
            category: string | null;
            /** @description Finer category */
            sub_category: string | null;
            /** @description Domain of the risk */
            risk_domain: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "running" | "completed" | "failed";
            /**
             * @description Severity
             * @enum {string}
             */
            severity: "critical" | "high" | "medium" | "low" | "info";
            /** @description Severity before it was first changed */
            original_severity: string | null;
            /**
             * @description What was decided about the finding
             * @enum {string}
             */
            finding_status: "open" | "false_positive" | "accepted_risk" | "remediated" | "incorrect_scoring";
            /**
             * @description What the finding is
             * @enum {string}
             */
            finding_type: "jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust";
            /** @description Whether the target did what it must not do */
            is_jailbreak: boolean;
            /** @description Highest score of all trials */
            best_score: number | null;
            /** @description How many trials have ended */
            finished_trials: number;
            /** @description How many trials there are */
            total_trials: number;
            /** @description Share of finished trials in which the target held */
            pass_rate: number | null;
            success: components["schemas"]["AirtSuccessRate"];
            /** @description How long it ran, in seconds */
            execution_time_s: number | null;
            /** @description Controls of frameworks that the finding touches */
            compliance_tags: {
                [key: string]: string[];
            } | null;
            /** @description Transforms that the prompt went through */
            transforms_applied: string[] | null;
            /** @description Model that is attacked */
            target_model: string | null;
            /** @description Model that writes the attacks */
            attacker_model: string | null;
            /** @description Model that judges the responses */
            evaluator_model: string | null;
            /** @description Notes of people */
            notes: string | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Cost in US dollars */
            cost_usd: number;
            /** @description Id of the trace */
            trace_id: string | null;
            /** @description Id of the span */
            span_id: string | null;
            /** @description Class that the classifier was misled to */
            adversarial_class: string | null;
            /** @description Domain of the attack */
            attack_domain: string | null;
            /** @description Norm of the distance between original and adversarial input */
            distance_norm: string | null;
            /** @description Distance between original and adversarial input */
            distance_value: number | null;
            /** @description Modality of the input */
            input_modality: string | null;
            /** @description Class of the original input */
            original_class: string | null;
            /** @description Prompt with the highest score, before the transforms */
            best_candidate: string | null;
            /** @description Prompt with the highest score, after the transforms */
            best_transformed_prompt: string | null;
            /** @description Response with the highest score */
            best_response: string | null;
            /** @description Why the judge gave the highest score */
            best_judge_reasoning: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description When it was last changed */
            updated_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
        };
        GateCheckEndEvent: {
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description Outcome */
            verdict: ("passed" | "failed" | "inconclusive") | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
        };
        GateCheckListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["GateCheckResponse"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description Number of this page, from 1 */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        GateCheckRequest: {
            /** @description `name`, or `org/name` of a public one; needs `version` */
            capability?: string | null;
            /** @description A model of the gateway, or with `version` one of the registry that is served here; beside a capability, the model that runs it */
            model?: string | null;
            /** @description Version */
            version?: string | null;
        };
        GateCheckResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the gate
             */
            gate_id: string;
            /** @description Name of the gate */
            gate_name: string;
            /** @description Capability, by name, or by name and version */
            capability: string | null;
            /** @description Name of the model */
            model: string;
            /** @description Version */
            version: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description null before the end; passed where every rule has passed */
            verdict: ("passed" | "failed" | "inconclusive") | null;
            /** @description By rule; as far as they are known while the check runs */
            results: components["schemas"]["GateRuleResult"][];
            /** @description Rules */
            rules: components["schemas"]["GateRule"][];
            /** @description Why it failed; null where it did not */
            error: string | null;
            /**
             * Format: uuid
             * @description User that created it
             */
            created_by: string;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
        };
        GateCreateRequest: {
            /** @description Name */
            name: string;
            /** @description Description for people */
            description?: string | null;
            /** @description Rules */
            rules: components["schemas"]["GateRuleRequest"][];
            /** @description Capabilities whose releases are promoted only after a check of the same candidate has passed */
            protects?: string[] | null;
            /** @description With which capabilities are checked; a check may name another */
            model?: string | null;
            /** @description Of the capability; the built-in agent by default */
            agent?: string | null;
            /** @description Model that writes the attacks */
            attacker_model?: string | null;
            /** @description Model that judges the responses */
            judge_model?: string | null;
            /** @description Key or id; `default` by default */
            project?: string | null;
            /**
             * @description Samples of each task
             * @default 1
             */
            repetitions?: number;
            /**
             * @description How many samples run at the same time
             * @default 4
             */
            concurrency?: number;
            /** @description Of each evaluation and assessment */
            budget_usd?: number | null;
            /** @description Seed of the random choices, for the same choices again */
            seed?: number | null;
        };
        GateListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["GateResponse"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description Number of this page, from 1 */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        GateResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /** @description Rules */
            rules: components["schemas"]["GateRule"][];
            /** @description Labels that the gate protects */
            protects: string[];
            /** @description With which capabilities are checked; a check may name another */
            model?: string | null;
            /** @description Of the capability; the built-in agent by default */
            agent?: string | null;
            /** @description Model that writes the attacks */
            attacker_model?: string | null;
            /** @description Model that judges the responses */
            judge_model?: string | null;
            /** @description Key or id; `default` by default */
            project?: string | null;
            /**
             * @description Samples of each task
             * @default 1
             */
            repetitions: number;
            /**
             * @description How many samples run at the same time
             * @default 4
             */
            concurrency: number;
            /** @description Of each evaluation and assessment */
            budget_usd?: number | null;
            /** @description Seed of the random choices, for the same choices again */
            seed?: number | null;
            /** @description The newest check */
            last_check: {
                /**
                 * Format: uuid
                 * @description Id
                 */
                id: string;
                /** @description Capability, by name, or by name and version */
                capability: string | null;
                /** @description Name of the model */
                model: string;
                /** @description Version */
                version: string | null;
                /**
                 * @description State
                 * @enum {string}
                 */
                status: "queued" | "running" | "completed" | "failed" | "cancelled";
                /** @description Outcome */
                verdict: ("passed" | "failed" | "inconclusive") | null;
                /**
                 * Format: date-time
                 * @description When it was created
                 */
                created_at: string;
            } | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        GateRule: {
            /**
             * @description `pass_rate`: at least `bound` of the samples pass; `asr`: at most `bound` of the attacks succeed; `cost`: US dollars of a sample, on average at most `bound`; `latency`: seconds of a sample, on average at most `bound`
             * @enum {string}
             */
            kind: "pass_rate" | "asr" | "cost" | "latency";
            /** @description `name`, or `org/name` of a public set; for all kinds but `asr` */
            task_set?: string | null;
            /** @description Attacks with their parameters */
            attack_manifest?: ({
                /** @description Name of the attack */
                attack?: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            /** @description Bound that the measured value is held to */
            bound: number;
            /** @description How far the new version may fall behind the old one */
            margin: number;
        };
        GateRuleRequest: {
            /**
             * @description `pass_rate`: at least `bound` of the samples pass; `asr`: at most `bound` of the attacks succeed; `cost`: US dollars of a sample, on average at most `bound`; `latency`: seconds of a sample, on average at most `bound`
             * @enum {string}
             */
            kind: "pass_rate" | "asr" | "cost" | "latency";
            /** @description `name`, or `org/name` of a public set; for all kinds but `asr` */
            task_set?: string | null;
            /** @description As of an assessment; for `asr` */
            attack_manifest?: ({
                [key: string]: unknown;
            }[] | ({
                /** @description Attacks */
                attacks?: {
                    [key: string]: unknown;
                }[] | null;
            } & {
                [key: string]: unknown;
            })) | null;
            /** @description Bound that the measured value is held to */
            bound: number;
            /**
             * @description Tolerance of the confidence interval beyond the bound. 0.1 with a bound of 1 requires 35 samples that all pass
             * @default 0.1
             */
            margin?: number;
        };
        GateRuleResult: {
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "pass_rate" | "asr" | "cost" | "latency";
            /** @description Bound that the measured value is held to */
            bound: number;
            /**
             * @description Outcome
             * @enum {string}
             */
            verdict: "passed" | "failed" | "inconclusive";
            /** @description What was measured; null where nothing was */
            value: number | null;
            /** @description Confidence interval of the measured value */
            interval: {
                /** @description Lower end of the interval */
                low: number;
                /** @description Upper end of the interval */
                high: number;
                /** @description Level of confidence, such as 0.95 */
                level: number;
            } | null;
            /** @description Samples or trials with a result */
            n: number;
            /** @description Samples or trials without one */
            errors: number;
            /** @description How many more are needed at the same rate; null where none are, or none would help */
            more_samples: number | null;
            /** @description Why */
            reason: string;
            /** @description Id of the evaluation */
            evaluation_id: string | null;
            /** @description Id of the assessment */
            assessment_id: string | null;
        };
        HealthResponse: {
            /**
             * @description degraded: it works, but refuses some of it
             * @enum {string}
             */
            status: "ok" | "degraded";
            /** @description Why it is degraded, and what to do */
            reason?: string;
            /** @description Version */
            version: string;
            /** @description State of each component of the server */
            checks: {
                /**
                 * @description disabled: this server runs without that part
                 * @enum {string}
                 */
                database: "ok" | "disabled";
                /**
                 * @description disabled: this server runs without that part
                 * @enum {string}
                 */
                object_storage: "ok" | "disabled";
                /**
                 * @description disabled: this server runs without that part
                 * @enum {string}
                 */
                jobs: "ok" | "disabled";
            };
        };
        InferenceErrorResponse: {
            /** @description The HTTP status */
            code: 400 | 401 | 403 | 404 | 409 | 422 | 426 | 429 | 500 | 502 | 504;
            /** @description Human-readable message */
            detail: string;
            /**
             * @description Type
             * @enum {string}
             */
            type: "already_exists_error" | "app_error" | "authentication_error" | "bad_gateway_error" | "cloud_error" | "configuration_error" | "conflict_error" | "database_error" | "expired_signature_error" | "expired_token_error" | "forbidden_error" | "gateway_timeout_error" | "group_error" | "invalid_error" | "invalid_flag_error" | "invalid_username_error" | "keyvalue_store_error" | "mail_error" | "member_exists_error" | "member_limit_exceeded_error" | "migration_lock_timeout_error" | "not_found_error" | "oauth_config_error" | "object_storage_error" | "org_sandbox_capacity_exceeded_error" | "payment_provider_error" | "sandbox_provider_error" | "sandbox_provider_rate_limit_error" | "server_error" | "task_error" | "task_set_not_found" | "token_error" | "upgrade_required_error" | "usage_limit_exceeded_error" | "user_suspended" | "user_verification_error" | "validation_error";
            /** @description Mistakes of the request, one by one */
            errors?: components["schemas"]["ValidationErrorItem"][] | null;
            /** @description The error in the form of OpenAI's API */
            error: {
                /** @description Message */
                message: string;
                /** @description Of OpenAI's: such as `invalid_request_error`, `rate_limit_error`, `server_error` */
                type: string;
                /** @description Such as `model_not_found`, `insufficient_quota` */
                code: string | null;
                /** @description Where the mistake is, where it is one field */
                param: string | null;
            };
        };
        InferenceModel: {
            /** @description What callers name: `provider/name` */
            id: string;
            /** @description Name */
            name: string;
            /** @description US dollars per million tokens */
            input_price: number;
            /** @description US dollars per million tokens */
            output_price: number;
            /** @description US dollars per million tokens */
            cache_read_price: number;
            /** @description US dollars per million tokens */
            cache_creation_price: number;
            /** @description Most tokens of one response */
            max_output_tokens: number;
        };
        InferenceModelEntry: {
            /** @description `provider/name`: what calls name */
            id: string;
            /**
             * @description Type of the object, as in OpenAI's API
             * @constant
             */
            object: "model";
            /** @description Seconds since 1970: when its provider was listed */
            created: number;
            /** @description Its provider */
            owned_by: string;
            /**
             * @description For clients of Anthropic
             * @constant
             */
            type: "model";
            /** @description The id, for clients of Anthropic */
            display_name: string;
            /**
             * Format: date-time
             * @description The same as `created`, for clients of Anthropic
             */
            created_at: string;
            /** @description US dollars per million tokens */
            input_price: number;
            /** @description US dollars per million tokens */
            output_price: number;
            /** @description US dollars per million tokens */
            cache_read_price: number;
            /** @description US dollars per million tokens */
            cache_creation_price: number;
            /** @description What is held back for a call that sets no limit */
            max_output_tokens: number;
            /** @description The responses are simulated by Drydock; no model is called */
            simulated: boolean;
        };
        InferenceModelList: {
            /**
             * @description Type of the object, as in OpenAI's API
             * @constant
             */
            object: "list";
            /** @description Data */
            data: components["schemas"]["InferenceModelEntry"][];
            /**
             * @description All models are in one list
             * @constant
             */
            has_more: false;
            /** @description Id of the first entry */
            first_id: string | null;
            /** @description Id of the last entry */
            last_id: string | null;
        };
        InferenceModelRequest: {
            /** @description As the provider calls it */
            name: string;
            /** @description US dollars per million tokens */
            input_price: number;
            /** @description US dollars per million tokens */
            output_price: number;
            /** @description US dollars per million tokens; input_price by default */
            cache_read_price?: number;
            /** @description US dollars per million tokens; input_price by default */
            cache_creation_price?: number;
            /**
             * @description What is held back for a call that sets no limit
             * @default 8192
             */
            max_output_tokens?: number;
        };
        InferenceProvider: {
            /** @description Name */
            name: string;
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "openai_compatible" | "anthropic" | "google";
            /** @description Address of the provider's API */
            base_url: string;
            /** @description Whether a key is stored */
            has_api_key: boolean;
            /** @description Time limit in seconds */
            timeout_seconds: number;
            /** @description Models */
            models: components["schemas"]["InferenceModel"][];
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        InferenceProviderRequest: {
            /** @description What comes before the first slash in the ids of its models */
            name: string;
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "openai_compatible" | "anthropic" | "google";
            /**
             * Format: uri
             * @description What comes before `/chat/completions`, or what its kind has in its place
             */
            base_url: string;
            /** @description Write-only. Omit it to keep the stored key; null removes it */
            api_key?: string | null;
            /**
             * @description Timeout for the first byte, between two bytes, and between two events of a stream with content
             * @default 600
             */
            timeout_seconds?: number;
            /** @description Models */
            models: components["schemas"]["InferenceModelRequest"][];
        };
        InferenceProvidersReplaceRequest: {
            /** @description Providers, all of them */
            providers: components["schemas"]["InferenceProviderRequest"][];
        };
        InferenceUsageResponse: {
            /**
             * Format: date-time
             * @description First moment that is counted
             */
            start_date: string;
            /**
             * Format: date-time
             * @description Last moment that is counted
             */
            end_date: string;
            /** @description Those with the most tokens first, then by name */
            models: components["schemas"]["ModelUsageStats"][];
            /** @description All cost in US dollars */
            total_cost_usd: number;
            /** @description All credits */
            total_credits: number;
            /** @description All input tokens */
            total_input_tokens: number;
            /** @description All output tokens */
            total_output_tokens: number;
            /** @description All calls */
            total_request_count: number;
            /** @description Calls of models without a known price */
            total_unpriced_request_count: number;
        };
        InstallCapabilityRequest: {
            /** @description Local name, or `owner/name` of a public one of another organization */
            name: string;
            /** @description The latest release by default */
            version?: string | null;
        };
        Invitation: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description E-mail address */
            email_address: string;
            /**
             * @description Role
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            /**
             * Format: uuid
             * @description User that created it
             */
            created_by: string;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it becomes invalid
             */
            expires_at: string;
        };
        InvitationCreateRequest: {
            /** @description E-mail address */
            email_address: string;
            /**
             * @description Role
             * @default member
             * @enum {string}
             */
            role?: "owner" | "admin" | "member";
        };
        InvitationCreated: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description E-mail address */
            email_address: string;
            /**
             * @description Role
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            /**
             * Format: uuid
             * @description User that created it
             */
            created_by: string;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it becomes invalid
             */
            expires_at: string;
            /** @description For POST /auth/signup or /auth/login; shown only now, good for one use */
            invitation_token: string;
            /** @description A link that carries the token */
            url: string;
        };
        JourneyVersion: {
            /** @description Version */
            version: string;
            /** @description Whether it is a pre-release */
            is_prerelease: boolean;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description Description for people */
            description: string | null;
            /** @description The optimization job of this workspace whose candidate was promoted */
            made_by: {
                /**
                 * Format: uuid
                 * @description Id of the optimization job
                 */
                optimization_job_id: string;
                /** @description Number of the candidate */
                candidate: number;
                /** @description Version that it is based on */
                from_version: string;
                /** @description Of the candidate, on the validation set */
                score: number;
                /** @description Of the version that the job started from */
                score_before: number | null;
                /** @description Score on examples that were held out */
                holdout_score: number | null;
                /** @description Score of the previous version, on the same held-out examples */
                holdout_score_before: number | null;
                /** @description Name of the model */
                model: string;
            } | null;
            /** @description The first 100 paths whose content differs from the version that it is based on, or else from the version published before it */
            changed_files: string[];
            /** @description Number of files that differ from the previous version */
            changed_file_count: number;
            /** @description The newest 5 of this workspace */
            evaluations: {
                /**
                 * Format: uuid
                 * @description Id
                 */
                id: string;
                /** @description Name */
                name: string;
                /** @description Name of the task set */
                task_set: string | null;
                /** @description Name of the model */
                model: string;
                /** @description Share of the samples that passed, from 0 to 1 */
                pass_rate: number | null;
                /** @description null before the end */
                pass_rate_interval: {
                    /** @description Lower end of the interval */
                    low: number;
                    /** @description Upper end of the interval */
                    high: number;
                    /** @description Level of confidence, such as 0.95 */
                    level: number;
                } | null;
                /** @description Mean of the scores; null without scores */
                mean_score: number | null;
                /** @description Samples with a result */
                n: number;
                /** @description Samples that could not run */
                errors: number;
                /** @description Cost in US dollars */
                cost_usd: number;
                /** @description null before the end */
                contaminated_count: number | null;
                /** @description When it ended; null while it has not */
                completed_at: string | null;
            }[];
            /** @description The newest 5 of this workspace that the server has run with this version as target */
            assessments: {
                /**
                 * Format: uuid
                 * @description Id
                 */
                id: string;
                /** @description Name */
                name: string;
                /** @description Share of the attacks that succeeded, from 0 to 1 */
                asr: number | null;
                /** @description Confidence interval of the success rate */
                asr_interval: {
                    /** @description Lower end of the interval */
                    low: number;
                    /** @description Upper end of the interval */
                    high: number;
                    /** @description Level of confidence, such as 0.95 */
                    level: number;
                } | null;
                /** @description Trials with a score */
                n: number;
                /** @description Risk from 0 to 10, over all findings */
                risk_score: number | null;
                /** @description When it ended; null while it has not */
                completed_at: string | null;
            }[];
            /** @description The newest 10 of this workspace */
            checks: {
                /**
                 * Format: uuid
                 * @description Id
                 */
                id: string;
                /** @description Name of the gate */
                gate: string;
                /**
                 * @description State
                 * @enum {string}
                 */
                status: "queued" | "running" | "completed" | "failed" | "cancelled";
                /** @description Outcome */
                verdict: ("passed" | "failed" | "inconclusive") | null;
                /**
                 * Format: date-time
                 * @description When it was created
                 */
                created_at: string;
            }[];
            /** @description Findings of this version, by what became of them */
            findings: {
                /** @description Findings of assessments of this version in which the attack succeeded */
                opened: number;
                /** @description Those of them that are remediated now */
                remediated: number;
            };
        };
        LabelFacetEntry: {
            /** @description Value */
            value: string;
            /** @description How many there are */
            count: number;
        };
        LineageEdge: {
            /**
             * Format: uuid
             * @description Derived artifact
             */
            from: string;
            /**
             * Format: uuid
             * @description Source artifact
             */
            to: string;
            /**
             * @description What `to` is to `from`
             * @enum {string}
             */
            relation: "task" | "dataset" | "capability" | "model" | "run" | "row" | "samples" | "base" | "train" | "validation" | "measured" | "retry" | "promoted" | "published" | "target" | "review" | "attack" | "check";
            /** @description The split that was used of the dataset `to`, or, for `row`, that the session is in; null for all */
            split: string | null;
            /** @description The rows of that split, from 0; null for all */
            rows: number[] | null;
        };
        LineageNode: {
            /**
             * Format: uuid
             * @description Of the session or job; of the version for an artifact
             */
            id: string;
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "dataset" | "model" | "capability" | "task" | "session" | "evaluation" | "finding" | "review" | "assessment" | "optimization_job" | "training_job" | "gate_check";
            /** @description Of an artifact, with its organization where that is another */
            name: string | null;
            /** @description Version */
            version: string | null;
            /** @description The key of the workspace; null for an artifact */
            workspace: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description Edges to the root on the shortest path: negative for sources, positive for derived artifacts */
            distance: number;
        };
        LineageResponse: {
            root: components["schemas"]["LineageRoot"];
            /** @description The nearest first; without the root */
            nodes: components["schemas"]["LineageNode"][];
            /** @description Edges between a node of this page and the root, another node of it or one of the pages before */
            edges: components["schemas"]["LineageEdge"][];
            /** @description Whether there are more entries */
            has_more: boolean;
            /** @description null at the end */
            next_cursor: string | null;
        };
        LineageRoot: {
            /**
             * Format: uuid
             * @description Of the session or job; of the version for an artifact
             */
            id: string;
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "dataset" | "model" | "capability" | "task" | "session" | "evaluation" | "finding" | "review" | "assessment" | "optimization_job" | "training_job" | "gate_check";
            /** @description Of an artifact, with its organization where that is another */
            name: string | null;
            /** @description Version */
            version: string | null;
            /** @description The key of the workspace; null for an artifact */
            workspace: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        LoginRequest: {
            /** @description E-mail address */
            email_address: string;
            /** @description Password */
            password: string;
            /** @description From the link of an invitation */
            invitation_token?: string | null;
        };
        LoginResponse: {
            /** @description Access token, for the header "Authorization: Bearer" */
            access_token: string;
            /**
             * @description How the token is sent
             * @constant
             */
            token_type: "Bearer";
            /** @description Seconds until the access token expires */
            expires_in: number;
            /** @description Good for one refresh within 30 days */
            refresh_token: string;
            user: components["schemas"]["UserResponse"];
        };
        LogoutResponse: {
            /**
             * @description Whether the session of the browser has ended
             * @constant
             */
            logged_out: true;
        };
        Member: {
            /**
             * Format: uuid
             * @description Of the membership
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the user
             */
            user_id: string;
            /**
             * @description Role
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            user: components["schemas"]["UserIdentity"];
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        MemberCreateRequest: {
            /** @description A username, or an e-mail address proven through an invitation */
            user: string;
            /**
             * @description Role
             * @default member
             * @enum {string}
             */
            role?: "owner" | "admin" | "member";
        };
        MemberUpdateRequest: {
            /**
             * @description Role
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
        };
        Message: {
            /** @description Generated by default; a message with a known id is not stored twice */
            id?: string | null;
            /** @description Id of the message that this one follows */
            parent_id?: string | null;
            /**
             * @description Role
             * @enum {string}
             */
            role: "system" | "user" | "assistant" | "tool";
            /** @description Content */
            content: string;
            /** @description Calls of tools */
            tool_calls?: components["schemas"]["ToolCall"][] | null;
            /** @description Of a tool: the call that this is the result of */
            tool_call_id?: string | null;
            /** @description Additional data of the client, stored unchanged */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Token usage of the model call for this message */
            usage?: components["schemas"]["MessageUsage"] | null;
        };
        MessageErrorResponse: {
            /** @description The HTTP status */
            code: 400 | 401 | 403 | 404 | 409 | 422 | 426 | 429 | 500 | 502 | 504;
            /** @description Human-readable message */
            detail: string;
            /**
             * @description Type
             * @constant
             */
            type: "error";
            /** @description Mistakes of the request, one by one */
            errors?: components["schemas"]["ValidationErrorItem"][] | null;
            /** @description The error in the form of Anthropic's API */
            error: {
                /** @description Anthropic's, such as `invalid_request_error` or `overloaded_error` */
                type: string;
                /** @description Message */
                message: string;
                /**
                 * @description The error `type` of other operations
                 * @enum {string}
                 */
                drydock_type: "already_exists_error" | "app_error" | "authentication_error" | "bad_gateway_error" | "cloud_error" | "configuration_error" | "conflict_error" | "database_error" | "expired_signature_error" | "expired_token_error" | "forbidden_error" | "gateway_timeout_error" | "group_error" | "invalid_error" | "invalid_flag_error" | "invalid_username_error" | "keyvalue_store_error" | "mail_error" | "member_exists_error" | "member_limit_exceeded_error" | "migration_lock_timeout_error" | "not_found_error" | "oauth_config_error" | "object_storage_error" | "org_sandbox_capacity_exceeded_error" | "payment_provider_error" | "sandbox_provider_error" | "sandbox_provider_rate_limit_error" | "server_error" | "task_error" | "task_set_not_found" | "token_error" | "upgrade_required_error" | "usage_limit_exceeded_error" | "user_suspended" | "user_verification_error" | "validation_error";
            };
        };
        MessageRequest: {
            /** @description `provider/name`, as GET …/inference/v1/models lists them */
            model: string;
            /** @description Messages, in their order */
            messages: ({
                /**
                 * @description Role
                 * @enum {string}
                 */
                role: "user" | "assistant" | "system";
                /** @description Content */
                content: string | ({
                    /** @description Type */
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
            /** @description System prompt */
            system?: (string | ({
                /** @description Type */
                type: string;
            } & {
                [key: string]: unknown;
            })[]) | null;
            /** @description With `input_schema`, or of a type that the provider runs or knows, for a provider of kind anthropic */
            tools?: ({
                /** @description Type */
                type?: string | null;
                /** @description Name */
                name?: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            /** @description Which tools the model may or must call */
            tool_choice?: ({
                /** @description Type */
                type: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Most tokens of one response */
            max_tokens: number;
            /** @description Stream the response as server-sent events */
            stream?: boolean | null;
            /** @description Texts at which the model stops */
            stop_sequences?: string[] | null;
            /** @description Randomness of the responses; 0 for the least */
            temperature?: number | null;
            /** @description Share of probability that tokens are chosen from */
            top_p?: number | null;
            /** @description `drydock.session_id`, or `drydock.trace_id` with `drydock.span_id`, name what the call belongs to, and are not passed on */
            metadata?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        MessageTokens: {
            /** @description How many tokens the request has */
            input_tokens: number;
        } & {
            [key: string]: unknown;
        };
        MessageTokensRequest: {
            /** @description `provider/name`, as GET …/inference/v1/models lists them */
            model: string;
            /** @description Messages, in their order */
            messages: ({
                /**
                 * @description Role
                 * @enum {string}
                 */
                role: "user" | "assistant" | "system";
                /** @description Content */
                content: string | ({
                    /** @description Type */
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
            /** @description System prompt */
            system?: (string | ({
                /** @description Type */
                type: string;
            } & {
                [key: string]: unknown;
            })[]) | null;
            /** @description With `input_schema`, or of a type that the provider runs or knows, for a provider of kind anthropic */
            tools?: ({
                /** @description Type */
                type?: string | null;
                /** @description Name */
                name?: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            /** @description Which tools the model may or must call */
            tool_choice?: ({
                /** @description Type */
                type: string;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        MessageUsage: {
            /** @description Without what was read from a cache or written to it */
            input_tokens: number;
            /** @description Tokens that the models generated */
            output_tokens: number;
            /**
             * @description Input tokens that were read from a cache
             * @default 0
             */
            cache_read_input_tokens?: number;
            /**
             * @description Input tokens that were written to a cache
             * @default 0
             */
            cache_creation_input_tokens?: number;
            /** @description Cost in US dollars; null where the price is not known */
            cost_usd?: number | null;
        };
        ModelAliasRequest: {
            /** @description Version */
            version: string;
        };
        ModelArtifactListResponse: {
            /** @description Models */
            models: components["schemas"]["ModelArtifactSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
        };
        ModelArtifactSummary: {
            /**
             * Format: uuid
             * @description Of this version
             */
            id: string;
            /** @description With the key of its organization: `org/name` */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Tags */
            tags: string[] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            /** @description How many versions there are */
            version_count: number;
            /** @description Framework */
            framework: string;
            /** @description What created it */
            origin: {
                [key: string]: unknown;
            };
            /** @description Of all versions */
            aliases: string[];
            /** @description Architecture of the model */
            architecture: string | null;
            /** @description Model that it is based on */
            base_model: string | null;
            /** @description License, as an SPDX identifier where there is one */
            license: string | null;
            /** @description Name for people */
            pretty_name: string | null;
            /** @description Size class */
            size_category: string | null;
            /** @description Kind of task that it is for */
            task: string | null;
            /** @description Languages */
            language: string[] | null;
            /** @description Kinds of task that it is for */
            task_categories: string[] | null;
        };
        ModelDetail: {
            /**
             * Format: uuid
             * @description Of this version
             */
            id: string;
            /** @description With the key of its organization: `org/name` */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Tags */
            tags: string[] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            /** @description How many versions there are */
            version_count: number;
            /** @description Framework */
            framework: string;
            /** @description What created it */
            origin: {
                [key: string]: unknown;
            };
            /** @description Of all versions */
            aliases: string[];
            /** @description Architecture of the model */
            architecture: string | null;
            /** @description Model that it is based on */
            base_model: string | null;
            /** @description License, as an SPDX identifier where there is one */
            license: string | null;
            /** @description Name for people */
            pretty_name: string | null;
            /** @description Size class */
            size_category: string | null;
            /** @description Kind of task that it is for */
            task: string | null;
            /** @description Languages */
            language: string[] | null;
            /** @description Kinds of task that it is for */
            task_categories: string[] | null;
            /**
             * Format: uuid
             * @description Id of the organization
             */
            organization_id: string;
            /** @description Slug of the organization */
            org_key: string;
            /** @description Over the manifest and the files, in hexadecimal */
            digest: string;
            /** @description Manifest, as it was published */
            manifest: {
                [key: string]: unknown;
            };
            /** @description How many files it has */
            file_count: number;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            /** @description User who published this version; for members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /** @description The version that each alias names */
            alias_versions: {
                [key: string]: string;
            };
        };
        ModelMessage: {
            /** @description Id */
            id: string;
            /**
             * @description Type
             * @constant
             */
            type: "message";
            /**
             * @description Role
             * @constant
             */
            role: "assistant";
            /** @description Name of the model */
            model: string;
            /** @description Content */
            content: ({
                /** @description Type */
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Why it stopped */
            stop_reason: string | null;
            /** @description Tokens that were used */
            usage: {
                /** @description Tokens that the models read, without those from a cache */
                input_tokens: number;
                /** @description Tokens that the models generated */
                output_tokens: number;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description The data of each server-sent event, where `stream` is true. The last is message_stop, or error where the model breaks off. */
        ModelMessageEvent: {
            /** @description Such as message_start or content_block_delta */
            type: string;
        } & {
            [key: string]: unknown;
        };
        ModelResponse: {
            /** @description `resp_` and the id of the call */
            id: string;
            /**
             * @description Type of the object, as in OpenAI's API
             * @constant
             */
            object: "response";
            /** @description When it was created */
            created_at: number;
            /**
             * @description State
             * @enum {string}
             */
            status: "in_progress" | "completed" | "incomplete" | "failed";
            /** @description Name of the model */
            model: string;
            /** @description Output */
            output: ({
                /** @description Id */
                id: string;
                /** @description Type */
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Tokens that were used */
            usage?: ({
                /** @description Tokens that the model read, with those from a cache */
                input_tokens: number;
                /** @description Tokens that the models generated */
                output_tokens: number;
                /** @description All tokens together */
                total_tokens: number;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The data of each server-sent event, where `stream` is true. The last is response.completed, response.incomplete or response.failed, with the response. */
        ModelResponseEvent: {
            /** @description Such as response.created or response.output_text.delta */
            type: string;
            /** @description Number of the event in the stream */
            sequence_number: number;
        } & {
            [key: string]: unknown;
        };
        ModelUsageStats: {
            /** @description As it is called here; what spans call it, or "unknown" */
            model: string;
            /** @description Cost of the requests with a known price; `unpriced_request_count` counts the others */
            cost_usd: number;
            /** @description What was charged: spans never are */
            credits: number;
            /** @description Cached ones included */
            input_tokens: number;
            /** @description Tokens that the models generated */
            output_tokens: number;
            /** @description How many calls there are */
            request_count: number;
            /** @description Requests whose cost is unknown, since no price list contains their model */
            unpriced_request_count: number;
            /** @description All tokens together */
            total_tokens: number;
        };
        OnboardingRequest: {
            /** @description 3 to 39 lower-case letters, digits and inner dashes */
            username: string;
            /** @description Whether the user agrees to e-mails */
            email_opt_in?: boolean;
            /** @description Creates an organization of this name */
            org_name?: string | null;
        };
        OptimizationAcceptedEvent: {
            /** @description Number of the iteration, from 0 */
            iteration: number;
            /** @description Number of the proposal */
            proposal: number;
            /** @description Parent candidates */
            parents: (number | null)[];
            /** @description Parts of the capability that are optimized */
            components?: string[];
            /** @description Sum of the scores of the parent */
            parent_sum: number | null;
            /** @description Sum of the scores of the new candidate */
            child_sum: number | null;
            /** @description Position in the list, from 0 */
            index: number;
            /**
             * @description How the candidate was found
             * @enum {string}
             */
            found_by: "seed" | "reflection" | "merge";
            /** @description Scored examples until the candidate was found */
            metric_calls_at_discovery: number;
        };
        OptimizationArtifactsResponse: {
            /** @description Artifacts */
            artifacts: {
                /** @description Texts of the candidate with the highest score */
                best_candidate: {
                    [key: string]: string;
                } | null;
                /** @description The files of the capability that the best candidate changes, as a promotion would publish them */
                files: {
                    /** @description Path below the root */
                    path: string;
                    /** @description Text */
                    text: string;
                }[];
                /** @description Versions that candidates were published as */
                promoted: {
                    /** @description Capability, by name, or by name and version */
                    capability: string;
                    /** @description Version */
                    version: string;
                    /** @description Number of the candidate */
                    candidate: number;
                    /**
                     * Format: date-time
                     * @description When it was created
                     */
                    created_at: string;
                }[];
            };
        };
        OptimizationBudget: {
            /** @description Scored examples so far */
            metric_calls_used: number;
            /** @description Checked between iterations, so that one may exceed it */
            metric_calls_limit: number | null;
            /** @description The seed and one iteration */
            metric_calls_floor: number;
            /** @description Samples of the holdout, which are counted separately */
            holdout_calls: number;
            /** @description Calls of the reflecting model */
            reflection_calls: number;
            /** @description Cost in US dollars */
            cost_usd: number;
        };
        OptimizationBudgetEvent: {
            /** @description Scored examples so far */
            metric_calls: number;
        };
        OptimizationCandidate: {
            /** @description 0 is the capability as it was */
            index: number;
            /** @description -1 for the seed */
            iteration: number;
            /** @description Number of the proposal */
            proposal: number;
            /**
             * @description How the candidate was found
             * @enum {string}
             */
            found_by: "seed" | "reflection" | "merge";
            /** @description Parent candidates */
            parents: number[];
            /** @description All components */
            texts: {
                [key: string]: string;
            };
            /** @description On the validation set, by position */
            scores: number[];
            /** @description Mean of the scores; null without scores */
            mean_score: number;
            /** @description Means of the metrics of its verifications */
            objectives: {
                [key: string]: number;
            };
            /** @description Measured for each candidate that was the best so far */
            holdout_score: number | null;
            /** @description It was the best when it was found */
            was_best: boolean;
            /** @description Whether no other candidate is better on every example */
            is_on_frontier: boolean;
            /** @description When it was found */
            metric_calls: number;
            /** @description The evaluation on the validation set; null where all scores were known */
            evaluation_id: string | null;
            /** @description Prompt and response of the reflecting model */
            reflections: components["schemas"]["OptimizationReflection"][];
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        OptimizationCandidateListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["OptimizationCandidate"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        OptimizationDatasetRef: {
            /** @description `name`, or `org/name` of a public dataset */
            name: string;
            /** @description Version */
            version: string;
            /** @description `train`, or `validation` for the validation set, where there are several */
            split?: string | null;
        };
        OptimizationEndEvent: {
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description Why it stopped */
            stop_reason: string | null;
            /** @description Number of the best candidate; null while there is none */
            best_index: number | null;
        };
        OptimizationErrorEvent: {
            /** @description Message */
            message: string;
        };
        OptimizationEstimateResponse: {
            /** @description How many examples are trained on */
            train_size: number;
            /** @description 0: the training set is the validation set */
            val_size: number;
            /** @description How many examples are held out */
            holdout_size: number;
            /** @description The seed and one iteration with an accepted candidate */
            metric_calls_floor: number;
            /** @description Most scored examples; null without a limit */
            metric_calls_limit: number | null;
            /** @description An assumption: three of ten proposals are accepted */
            metric_calls: number;
            /** @description Scored examples of the held-out set */
            holdout_calls: number;
            /** @description Calls of the reflecting model */
            reflection_calls: number;
            /** @description Tokens that the models are expected to read */
            input_tokens: number;
            /** @description Tokens that the models generated */
            output_tokens: number;
            /** @description Of these tokens, by the price list */
            cost_usd: number;
            /** @description What may have an unwanted effect */
            warnings: string[];
        };
        OptimizationExample: {
            /**
             * @description Split of the dataset
             * @enum {string}
             */
            split: "train" | "validation" | "holdout";
            /** @description Position in the list, from 0 */
            position: number;
            /** @description Row of the dataset, from 0 */
            row_index: number | null;
            /** @description Name of the task */
            task_name: string | null;
            /** @description Version of the task; null for the latest */
            task_version: string | null;
            /** @description At most 500 characters of it */
            input: string;
        };
        OptimizationExampleListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["OptimizationExample"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        OptimizationFrontierEvent: {
            /** @description How many candidates are on the Pareto frontier */
            frontier_size: number;
            /** @description Candidates on the Pareto frontier */
            front: number[];
        };
        OptimizationIterationEvent: {
            /** @description Number of the iteration, from 0 */
            iteration: number;
            /** @description Proposals of this iteration */
            proposals?: {
                /** @description Parent candidate */
                parent: number;
                /** @description Examples of this iteration, by position */
                minibatch: number[];
            }[];
            /** @description Two candidates that were merged */
            merge?: {
                /** @description Parent candidates */
                parents: number[];
                /** @description Candidate that both parents come from */
                ancestor: number;
                /** @description Examples of this iteration, by position */
                minibatch: number[];
            };
        };
        OptimizationJobConfig: {
            /**
             * @description How minibatches are chosen
             * @default epoch_shuffled
             * @enum {string}
             */
            batch_sampler: "epoch_shuffled";
            /**
             * @description How the candidate that is improved next is chosen
             * @default pareto
             * @enum {string}
             */
            candidate_selection_strategy: "pareto" | "current_best" | "epsilon_greedy" | "top_k_pareto";
            /**
             * @description How the component that is improved next is chosen
             * @default round_robin
             * @enum {string}
             */
            module_selector: "round_robin" | "all";
            /**
             * @description Which validation examples a candidate is scored on
             * @default full_eval
             * @enum {string}
             */
            val_evaluation_policy: "full_eval";
            /**
             * @description All but `instance` need metrics of a verification
             * @default instance
             * @enum {string}
             */
            frontier_type: "instance" | "objective" | "hybrid" | "cartesian";
            /** @description The model that writes new texts; by default the model of the job */
            reflection_lm?: string | null;
            /** @description Prompt of the reflecting model; null for the built-in one */
            reflection_prompt_template?: string | null;
            /**
             * @description Examples of one reflection
             * @default 3
             */
            reflection_minibatch_size: number;
            /**
             * @description Whether a minibatch without mistakes is skipped
             * @default true
             */
            skip_perfect_score: boolean;
            /**
             * @description Score of an answer without mistakes
             * @default 1
             */
            perfect_score: number;
            /**
             * @description Scores of the same texts on the same example are used again for the validation
             * @default true
             */
            cache_evaluation: boolean;
            /**
             * @description Show the steps of agents to the reflection
             * @default true
             */
            capture_traces: boolean;
            /**
             * @description Show errors to the reflection
             * @default true
             */
            include_errors: boolean;
            /**
             * @description Show answers to the reflection
             * @default true
             */
            include_outputs: boolean;
            /** @description Accepted and ignored: all outputs are kept */
            track_best_outputs?: boolean | null;
            /** @description Accepted and ignored */
            display_progress_bar?: boolean | null;
            /**
             * @description Proposals of one iteration
             * @default 1
             */
            concurrency: number;
            /**
             * @description Samples that run at once for a candidate; only for capability_env
             * @default 1
             */
            parallel_rows: number;
            /** @description Task, as name or name@version */
            task_ref?: string | null;
            /**
             * @description Most merges of two candidates
             * @default 0
             */
            max_merge_invocations: number;
            /**
             * @description Validation examples that two candidates must share to be merged
             * @default 5
             */
            merge_val_overlap_floor: number;
            /** @description Most scored examples; null without a limit */
            max_metric_calls?: number | null;
            /** @description Of running, without the time in which no worker had the job */
            max_runtime_sec?: number | null;
            /** @description Iterations, skipped ones too */
            max_trials?: number | null;
            /** @description Iterations without an improvement until it stops; null without a limit */
            max_trials_without_improvement?: number | null;
            /**
             * @description Most examples that one reflection shows
             * @default 10
             */
            max_reflection_examples: number;
            /**
             * @description Most characters of side information for each example
             * @default 4000
             */
            max_side_info_chars: number;
            /**
             * @description Seed of the random choices, for the same choices again
             * @default 0
             */
            seed: number;
            /** @description Of each sample */
            timeout_sec?: number | null;
            /** @description `from:to` renames a column, `name` keeps one */
            dataset_input_mapping?: string[] | null;
            /** @description Tasks, as name or name@version */
            task_refs?: string[] | null;
            /** @description Tasks that candidates are validated with */
            val_task_refs?: string[] | null;
        };
        OptimizationJobConfigRequest: {
            /**
             * @description How minibatches are chosen
             * @default epoch_shuffled
             * @enum {string}
             */
            batch_sampler?: "epoch_shuffled";
            /**
             * @description How the candidate that is improved next is chosen
             * @default pareto
             * @enum {string}
             */
            candidate_selection_strategy?: "pareto" | "current_best" | "epsilon_greedy" | "top_k_pareto";
            /**
             * @description How the component that is improved next is chosen
             * @default round_robin
             * @enum {string}
             */
            module_selector?: "round_robin" | "all";
            /**
             * @description Which validation examples a candidate is scored on
             * @default full_eval
             * @enum {string}
             */
            val_evaluation_policy?: "full_eval";
            /**
             * @description All but `instance` need metrics of a verification
             * @default instance
             * @enum {string}
             */
            frontier_type?: "instance" | "objective" | "hybrid" | "cartesian";
            /** @description The model that writes new texts; by default the model of the job */
            reflection_lm?: string | null;
            /** @description Prompt of the reflecting model; null for the built-in one */
            reflection_prompt_template?: string | null;
            /**
             * @description Examples of one reflection
             * @default 3
             */
            reflection_minibatch_size?: number;
            /**
             * @description Whether a minibatch without mistakes is skipped
             * @default true
             */
            skip_perfect_score?: boolean;
            /**
             * @description Score of an answer without mistakes
             * @default 1
             */
            perfect_score?: number;
            /**
             * @description Scores of the same texts on the same example are used again for the validation
             * @default true
             */
            cache_evaluation?: boolean;
            /**
             * @description Show the steps of agents to the reflection
             * @default true
             */
            capture_traces?: boolean;
            /**
             * @description Show errors to the reflection
             * @default true
             */
            include_errors?: boolean;
            /**
             * @description Show answers to the reflection
             * @default true
             */
            include_outputs?: boolean;
            /** @description Accepted and ignored: all outputs are kept */
            track_best_outputs?: boolean | null;
            /** @description Accepted and ignored */
            display_progress_bar?: boolean | null;
            /**
             * @description Proposals of one iteration
             * @default 1
             */
            concurrency?: number;
            /**
             * @description Samples that run at once for a candidate; only for capability_env
             * @default 1
             */
            parallel_rows?: number;
            /** @description Task, as name or name@version */
            task_ref?: string | null;
            /**
             * @description Most merges of two candidates
             * @default 0
             */
            max_merge_invocations?: number;
            /**
             * @description Validation examples that two candidates must share to be merged
             * @default 5
             */
            merge_val_overlap_floor?: number;
            /** @description Most scored examples; null without a limit */
            max_metric_calls?: number | null;
            /** @description Of running, without the time in which no worker had the job */
            max_runtime_sec?: number | null;
            /** @description Iterations, skipped ones too */
            max_trials?: number | null;
            /** @description Iterations without an improvement until it stops; null without a limit */
            max_trials_without_improvement?: number | null;
            /**
             * @description Most examples that one reflection shows
             * @default 10
             */
            max_reflection_examples?: number;
            /**
             * @description Most characters of side information for each example
             * @default 4000
             */
            max_side_info_chars?: number;
            /**
             * @description Seed of the random choices, for the same choices again
             * @default 0
             */
            seed?: number;
            /** @description Of each sample */
            timeout_sec?: number | null;
            /** @description `from:to` renames a column, `name` keeps one */
            dataset_input_mapping?: string[] | null;
            /** @description Tasks, as name or name@version */
            task_refs?: string[] | null;
            /** @description Tasks that candidates are validated with */
            val_task_refs?: string[] | null;
        };
        OptimizationJobCreateRequest: {
            /** @description Name */
            name?: string | null;
            /**
             * @description `gepa` is an alias of `optimizer_a`
             * @default optimizer_a
             * @enum {string}
             */
            backend?: "optimizer_a" | "gepa";
            /**
             * @description What is optimized
             * @enum {string}
             */
            target_kind: "capability_agent" | "capability_env";
            /** @description A model of the gateway, such as `sim/instructed` */
            model: string;
            /** @description Capability, by name and version */
            capability_ref: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
            };
            /** @description May be left out where the capability has one agent */
            agent_name?: string | null;
            /** @description `instructions` for capability_agent; for capability_env by default all that the capability has */
            components?: ("instructions" | "agent_prompt" | "capability_prompt" | "skill_descriptions" | "skill_bodies")[] | null;
            dataset_ref?: components["schemas"]["OptimizationDatasetRef"] | null;
            val_dataset_ref?: components["schemas"]["OptimizationDatasetRef"] | null;
            /** @description Task, as name or name@version */
            task_ref?: string | null;
            /** @description Tasks, as name or name@version */
            task_refs?: string[] | null;
            /** @description Tasks that candidates are validated with */
            val_task_refs?: string[] | null;
            /** @description `name` or `org/name`: the tasks of a set, with an objective for each group: `safety` for regression tasks of the red team, `skill` for all others */
            task_set?: string | null;
            reward_recipe: components["schemas"]["RewardRecipe"];
            /** @description What to improve, in words; the reflection reads it */
            objective?: string | null;
            /** @description Share of the examples that is held out */
            holdout_fraction?: number | null;
            /** @description Time limit of an example, in seconds */
            timeout_sec?: number | null;
            config?: components["schemas"]["OptimizationJobConfigRequest"] | null;
            /** @description Key or id */
            project?: string | null;
            /** @description Display name of the run */
            run_ref?: string | null;
            /** @description Tags */
            tags?: string[] | null;
        };
        OptimizationJobListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["OptimizationJobResponse"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        OptimizationJobResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the organization
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description Id of the workspace; null for none
             */
            workspace_id: string;
            /** @description Name */
            name: string | null;
            /** @description `optimizer_a` */
            backend: string;
            /**
             * @description State
             * @enum {string}
             */
            status: "pending" | "queued" | "running" | "completed" | "failed" | "cancelled";
            /**
             * @description What is optimized
             * @enum {string}
             */
            target_kind: "capability_agent" | "capability_env";
            /** @description Name of the model */
            model: string;
            /** @description Capability, by name, or by name and version */
            capability: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Id of the artifact */
                artifact_id: string | null;
                /** @description Digest of the configuration of the runtime */
                runtime_digest: string | null;
            };
            /** @description Name of the agent */
            agent_name: string | null;
            /** @description Parts of the capability that are optimized */
            components: ("instructions" | "agent_prompt" | "capability_prompt" | "skill_descriptions" | "skill_bodies")[];
            config: components["schemas"]["OptimizationJobConfig"];
            /** @description Dataset, by name and version */
            dataset_ref: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Split of the dataset */
                split?: string | null;
            } | null;
            /** @description Dataset that candidates are validated with */
            val_dataset_ref: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Split of the dataset */
                split?: string | null;
            } | null;
            /** @description Tasks, as name or name@version */
            task_refs: string[] | null;
            /** @description Tasks that candidates are validated with */
            val_task_refs: string[] | null;
            /** @description Name of the task set */
            task_set: string | null;
            /** @description How answers are scored */
            reward_recipe: {
                /**
                 * @description Name
                 * @enum {string}
                 */
                name: "contains_v1" | "exact_match_v1" | "gsm8k_v1" | "row_reward_v1" | "trajectory_imitation_v1";
                /** @description Parameters */
                params: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description What the optimization is for, in words */
            objective: string | null;
            /** @description Share of the examples that is held out */
            holdout_fraction: number;
            /** @description Project, as id or key */
            project: string | null;
            /** @description Display name of the run */
            run_ref: string | null;
            /** @description Tags */
            tags: string[];
            /** @description Id of the job that this one repeats */
            retry_of: string | null;
            /** @description Result so far */
            summary: {
                /** @description Texts of the candidate with the highest score */
                best_candidate: {
                    [key: string]: string;
                } | null;
                /** @description Score of the best candidate */
                best_score: number | null;
                /** @description Means of the metrics of its verifications */
                best_scores: {
                    [key: string]: number;
                };
                /** @description How many candidates are on the Pareto frontier */
                frontier_size: number;
                /** @description Further results, such as the budget that was used */
                metadata: {
                    budget: components["schemas"]["OptimizationBudget"];
                    /** @description What may have an unwanted effect */
                    warnings: string[];
                    /** @description The last iteration that started, from 0; -1 before the first */
                    iteration: number;
                    /** @description How many candidates there are */
                    candidate_count: number;
                    /** @description Number of the best candidate; null while there is none */
                    best_index: number | null;
                    /** @description Score of the original version */
                    seed_score: number | null;
                    /** @description How many examples are held out */
                    holdout_size: number;
                    /** @description Score of the best candidate on the holdout */
                    holdout_score: number | null;
                    /** @description Score of the original version, on held-out examples */
                    seed_holdout_score: number | null;
                    /** @description Why it stopped */
                    stop_reason: string | null;
                    /** @description How long the job has run, in seconds */
                    running_seconds: number;
                } & {
                    [key: string]: unknown;
                };
                /** @description What the optimization is for, in words */
                objective: string | null;
                /** @description How many examples are trained on */
                train_size: number;
                /** @description 0: the training set is the validation set */
                val_size: number;
            };
            /** @description By the number of metric calls; empty in lists */
            metrics: {
                [key: string]: components["schemas"]["OptimizationMetricPoint"][];
            };
            /** @description `promoted`: the capability versions published from it */
            artifacts: {
                [key: string]: unknown;
            };
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Time of the cancellation request */
            cancel_requested_at: string | null;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description User that created it */
            created_by: string | null;
            /** @description E-mail address of the user who created it */
            created_by_email: string | null;
            created_by_user: components["schemas"]["UserIdentity"] | null;
        };
        OptimizationLogsResponse: {
            /** @description The entries of this page */
            items: {
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /** @description Message */
                message: string;
            }[];
        };
        OptimizationMetricPoint: {
            /** @description Value */
            value: number;
            /** @description Step of the training or of the optimization */
            step: number | null;
            /** @description When it happened */
            timestamp: string | null;
        };
        OptimizationPromoteRequest: {
            /** @description Version */
            version: string;
            /** @description Its index; the best by default. Needed while the job runs */
            candidate?: number | null;
            /** @description Id or name of a gate that the candidate must have passed, besides those that protect the capability */
            gate?: string | null;
        };
        OptimizationPromoteResponse: {
            /** @description Name */
            name: string;
            /** @description Version */
            version: string;
            /** @description Version that it is based on */
            from_version: string;
            /** @description Number of the candidate */
            candidate: number;
            /** @description On the validation set */
            score: number;
            /** @description Score on examples that were held out */
            holdout_score: number | null;
            /** @description Files that the new version changes */
            changed_files: string[];
        };
        OptimizationProposal: {
            /** @description Number of the iteration, from 0 */
            iteration: number;
            /** @description Number of the proposal */
            proposal: number;
            /**
             * @description `unfinished`: under way, or the job ended before it
             * @enum {string}
             */
            status: "accepted" | "rejected" | "unfinished";
            /** @description Of a rejection: not_better, perfect_score, no_traces, reflection_failed, unchanged, duplicate, merge_not_better */
            reason: string | null;
            /**
             * @description How the candidate was found
             * @enum {string}
             */
            found_by: "reflection" | "merge";
            /** @description Parent candidates */
            parents: number[];
            /** @description Number of the candidate that the proposal became */
            candidate_index: number | null;
            /** @description Parts of the capability that are optimized */
            components: string[];
            /** @description The new texts of these components */
            texts: {
                [key: string]: string;
            } | null;
            /** @description The first parent's texts of these components */
            previous_texts: {
                [key: string]: string;
            } | null;
            /** @description Examples of this iteration, by position */
            minibatch: number[];
            /** @description Scores of the parent, by example */
            parent_scores: number[] | null;
            /** @description Scores of the new candidate, by example */
            child_scores: number[] | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Prompt and response of the reflecting model */
            reflections: components["schemas"]["OptimizationReflection"][];
            /** @description All that was measured for it */
            evaluations: {
                /**
                 * @description What the scores are for
                 * @enum {string}
                 */
                purpose: "parent" | "child" | "merge" | "validation" | "holdout";
                /**
                 * Format: uuid
                 * @description Id of the evaluation
                 */
                evaluation_id: string;
                /** @description Positions of the examples */
                positions: number[];
                /** @description State */
                status: string;
                /** @description How many examples are scored */
                scored_count: number;
                /** @description Cost in US dollars */
                cost_usd: number;
            }[];
            /** @description Cost in US dollars */
            cost_usd: number;
            /** @description When it was created */
            created_at: string | null;
        };
        OptimizationProposalListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["OptimizationProposal"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        OptimizationReflection: {
            /** @description Component of the capability */
            component: string;
            /** @description At most 20,000 characters of it; the session has all */
            prompt: string;
            /** @description At most 20,000 characters of it; null where the call failed */
            response: string | null;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Id of the session */
            session_id: string | null;
            /** @description Cost in US dollars */
            cost_usd: number;
        };
        OptimizationRejectedEvent: {
            /** @description Number of the iteration, from 0 */
            iteration: number;
            /** @description Number of the proposal */
            proposal: number;
            /** @description Parent candidates */
            parents: (number | null)[];
            /** @description Parts of the capability that are optimized */
            components?: string[];
            /** @description Sum of the scores of the parent */
            parent_sum: number | null;
            /** @description Sum of the scores of the new candidate */
            child_sum: number | null;
            /** @description Why */
            reason: string;
            /** @description Why it failed; null where it did not */
            error?: string;
        };
        OptimizationRetryRequest: {
            /**
             * @description Without what the job before has measured
             * @default false
             */
            from_start?: boolean;
        };
        OptimizationStartEvent: Record<string, never>;
        OptimizationValidationEvent: {
            /** @description Number of the iteration, from 0 */
            iteration: number;
            /** @description Position in the list, from 0 */
            index: number;
            /** @description Mean of the scores */
            mean: number;
            /** @description Whether it is the best candidate so far */
            is_best: boolean;
        };
        Organization: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Key: a slug that is unique where it is used */
            key: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /** @description Whether it can be used */
            is_active: boolean;
            /** @description How many members there are */
            member_count: number;
            /** @description Absent: no limit */
            max_members?: number;
            /** @description Maximum time limit of a sandbox, in seconds; null for the maximum of the platform */
            max_sandbox_runtime_seconds: number | null;
            /** @description Default time limit of a sandbox, in seconds; null for the default of the platform */
            default_sandbox_runtime_seconds: number | null;
            /** @description Effective maximum time limit of a sandbox, in seconds */
            effective_max_sandbox_runtime_seconds: number;
            /**
             * @description Level that decided the longest time limit
             * @enum {string}
             */
            max_sandbox_runtime_source_level: "l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default";
            /** @description Effective default time limit of a sandbox, in seconds */
            effective_default_sandbox_runtime_seconds: number;
            /**
             * @description Level that decided the default time limit
             * @enum {string}
             */
            default_sandbox_runtime_source_level: "l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default";
            /** @description Maximum time limit of the platform, in seconds */
            platform_max_sandbox_runtime_seconds: number;
            /** @description Default time limit of the platform, in seconds */
            platform_default_sandbox_runtime_seconds: number;
            /** @description Most sandboxes at the same time; null without a limit */
            max_concurrent_sandboxes: number | null;
            /** @description Days after which traces are deleted */
            trace_retention_days: number;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        OrganizationLink: {
            /** @description Key: a slug that is unique where it is used */
            key: string;
            /** @description Name */
            name: string;
        };
        OrganizationUpdateRequest: {
            /** @description Name */
            name?: string;
            /** @description Description for people */
            description?: string | null;
            /** @description Platform admins only; null: no limit */
            max_members?: number | null;
            /** @description Maximum time limit of a sandbox, in seconds; null for the maximum of the platform */
            max_sandbox_runtime_seconds?: number | null;
            /** @description Default time limit of a sandbox, in seconds; null for the default of the platform */
            default_sandbox_runtime_seconds?: number | null;
            /** @description null: no limit */
            max_concurrent_sandboxes?: number | null;
            /** @description Days after which traces are deleted */
            trace_retention_days?: number;
        };
        OtlpAttribute: {
            /** @description Name of the attribute */
            key: string;
            value?: components["schemas"]["OtlpValue"];
        };
        OtlpResourceSpans: {
            /** @description What it is about */
            resource?: {
                /** @description Attributes */
                attributes?: components["schemas"]["OtlpAttribute"][];
                /** @description How many attributes the sender has dropped */
                droppedAttributesCount?: number;
            };
            /** @description Spans by instrumentation scope */
            scopeSpans?: components["schemas"]["OtlpScopeSpans"][];
            /** @description URL of the schema of the attributes */
            schemaUrl?: string;
        };
        OtlpScopeSpans: {
            /** @description Instrumentation scope */
            scope?: {
                /** @description Name */
                name?: string;
                /** @description Version */
                version?: string;
                /** @description Attributes */
                attributes?: components["schemas"]["OtlpAttribute"][];
                /** @description How many attributes the sender has dropped */
                droppedAttributesCount?: number;
            };
            /** @description Spans */
            spans?: components["schemas"]["OtlpSpan"][];
            /** @description URL of the schema of the attributes */
            schemaUrl?: string;
        };
        OtlpSpan: {
            /** @description 32 hexadecimal digits */
            traceId: string;
            /** @description 16 hexadecimal digits */
            spanId: string;
            /** @description 16 hexadecimal digits */
            parentSpanId?: string;
            /** @description W3C trace state */
            traceState?: string;
            /** @description Flags of the span, as W3C trace context has them */
            flags?: number;
            /** @description Name */
            name?: string;
            /** @description 1 internal, 2 server, 3 client, 4 producer, 5 consumer */
            kind?: number;
            /** @description Nanoseconds since 1970: as text, or as a number */
            startTimeUnixNano?: string | number;
            /** @description Nanoseconds since 1970: as text, or as a number */
            endTimeUnixNano?: string | number;
            /** @description Attributes */
            attributes?: components["schemas"]["OtlpAttribute"][];
            /** @description How many attributes the sender has dropped */
            droppedAttributesCount?: number;
            /** @description Events */
            events?: {
                /** @description Nanoseconds since 1970: as text, or as a number */
                timeUnixNano?: string | number;
                /** @description Name */
                name?: string;
                /** @description Attributes */
                attributes?: components["schemas"]["OtlpAttribute"][];
                /** @description How many attributes the sender has dropped */
                droppedAttributesCount?: number;
            }[];
            /** @description How many events the sender has dropped */
            droppedEventsCount?: number;
            /** @description Links to other spans */
            links?: {
                /** @description 32 hexadecimal digits */
                traceId: string;
                /** @description 16 hexadecimal digits */
                spanId: string;
                /** @description W3C trace state */
                traceState?: string;
                /** @description Flags of the span, as W3C trace context has them */
                flags?: number;
                /** @description Attributes */
                attributes?: components["schemas"]["OtlpAttribute"][];
                /** @description How many attributes the sender has dropped */
                droppedAttributesCount?: number;
            }[];
            /** @description How many links the sender has dropped */
            droppedLinksCount?: number;
            /** @description State */
            status?: {
                /** @description 1 ok, 2 error */
                code?: number;
                /** @description Message */
                message?: string;
            };
        };
        /** @description One of these; none for an empty value */
        OtlpValue: {
            /** @description A text */
            stringValue?: string;
            /** @description true or false */
            boolValue?: boolean;
            /** @description A 64-bit integer: as text, or as a number */
            intValue?: string | number;
            /** @description A number, or `NaN`, `Infinity`, `-Infinity` */
            doubleValue?: number | string;
            /** @description In base64 */
            bytesValue?: string;
            /** @description A list of values */
            arrayValue?: {
                /** @description Values */
                values?: components["schemas"]["OtlpValue"][];
            };
            /** @description A list of named values */
            kvlistValue?: {
                /** @description Values */
                values?: components["schemas"]["OtlpAttribute"][];
            };
        };
        ProgramAgent: {
            /** @description Command that runs the program */
            command: string;
            /** @description Environment variables */
            env: {
                [key: string]: string;
            };
            /** @description Command that runs once before it */
            setup: string | null;
        };
        Project: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Key: a slug that is unique where it is used */
            key: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /**
             * Format: uuid
             * @description Id of the workspace; null for none
             */
            workspace_id: string;
            /** @description Whether it is used where none is named */
            is_default: boolean;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        ProjectCreateRequest: {
            /** @description Name */
            name: string;
            /** @description Derived from the name by default */
            key?: string;
            /** @description Description for people */
            description?: string | null;
        };
        ProjectUpdateRequest: {
            /** @description Name */
            name?: string;
            /** @description Description for people */
            description?: string | null;
        };
        PublishCheckpointRequest: {
            /** @description Of the model; by default the name of the job */
            name?: string | null;
            /** @description By default a pre-release such as 1.0.0-step.20 */
            version?: string | null;
        };
        PublishCheckpointResponse: {
            /** @description Name */
            name: string;
            /** @description Version */
            version: string;
            /** @description Step of the training or of the optimization */
            step: number;
        };
        QueryColumn: {
            /** @description Name */
            name: string;
            /** @description As DuckDB names it, such as `BIGINT` or `VARCHAR[]` */
            type: string;
        };
        QueryRequest: {
            /** @description One SELECT, in the dialect of DuckDB; `GET …/query/schema` tells the tables */
            query: string;
            /**
             * @description More are left out: `truncated`
             * @default 10000
             */
            max_rows?: number;
            /** @description Only rows of this project, where rows belong to one */
            project_id?: string | null;
        };
        QueryResponse: {
            /** @description Columns */
            columns: components["schemas"]["QueryColumn"][];
            /** @description Values in the order of the columns. Moments are UTC; what JSON has no value for (`NaN`, `Infinity`) is text */
            rows: unknown[][];
            /** @description How many rows it has */
            row_count: number;
            /** @description There are more rows than `max_rows` */
            truncated: boolean;
            /** @description How long the query took, in milliseconds */
            elapsed_ms: number;
        };
        QuerySchema: {
            /** @description Dialect of SQL */
            dialect: string;
            /** @description What a query may be, and what becomes of it */
            rules: string[];
            /** @description Tables that can be queried */
            tables: components["schemas"]["QueryTable"][];
        };
        QueryTable: {
            /** @description Name */
            name: string;
            /** @description What it holds */
            comment: string;
            /** @description Columns */
            columns: components["schemas"]["QueryTableColumn"][];
        };
        QueryTableColumn: {
            /** @description Name */
            name: string;
            /** @description As DuckDB names it, such as `BIGINT` or `VARCHAR[]` */
            type: string;
            /** @description What it holds */
            comment: string;
        };
        QueuedJob: {
            /**
             * Format: uuid
             * @description Of this wake-up; one job may need several
             */
            id: string;
            /** @description <domain>.<verb> */
            kind: string;
            /**
             * @description State
             * @enum {string}
             */
            state: "queued" | "running" | "completed" | "failed";
            /** @description null for the platform's own work */
            organization_id: string | null;
            /** @description What is worked on */
            resource_id: string | null;
            /** @description How often it failed since it last got on */
            failures: number;
            /** @description How often its worker died */
            lost_workers: number;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Earliest time at which the job starts
             */
            starts_after: string;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
        };
        QueuedJobPage: {
            /** @description The entries of this page */
            items: components["schemas"]["QueuedJob"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        RefreshRequest: {
            /** @description Refresh token, valid for 30 days */
            refresh_token: string;
        };
        RefreshResponse: {
            /** @description Access token, for the header "Authorization: Bearer" */
            access_token: string;
            /**
             * @description How the token is sent
             * @constant
             */
            token_type: "Bearer";
            /** @description Seconds until the access token expires */
            expires_in: number;
            /** @description Refresh token, valid for 30 days */
            refresh_token: string;
            default_org?: components["schemas"]["OrganizationLink"];
            /** @description Organizations of the user */
            orgs: components["schemas"]["OrganizationLink"][];
        };
        RegressionTaskRequest: {
            /** @description Of the task; made of the attack and the id of the finding by default */
            name?: string | null;
            /** @description 1.0.0 by default */
            version?: string | null;
            /** @description Created where there is none; `regressions` by default */
            task_set?: string | null;
            /** @description Judges answers where no canary decides; the judge of the finding by default */
            judge_model?: string | null;
        };
        RegressionTaskResponse: {
            /**
             * Format: uuid
             * @description Id of the finding
             */
            finding_id: string;
            /** @description Name of the task */
            task_name: string;
            /** @description Version of the task; null for the latest */
            task_version: string;
            /** @description Name of the task set */
            task_set: string;
            /** @description false: the task was there already */
            created: boolean;
        };
        ResponseRequest: {
            /** @description `provider/name`, as GET …/inference/v1/models lists them */
            model: string;
            /** @description A text, or items: messages, function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning */
            input: string | ({
                /** @description Type */
                type?: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description System prompt */
            instructions?: string | null;
            /** @description Stream the response as server-sent events */
            stream?: boolean | null;
            /** @description Tools of type `function`, `custom`, or `namespace` with such tools */
            tools?: ({
                /** @description Type */
                type?: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            /** @description Which tools the model may or must call */
            tool_choice?: (string | ({
                /** @description Type */
                type?: string;
            } & {
                [key: string]: unknown;
            })) | null;
            /** @description Whether the model may call several tools at once */
            parallel_tool_calls?: boolean | null;
            /** @description Text */
            text?: ({
                /** @description Format */
                format?: ({
                    /** @description Type */
                    type?: string;
                } & {
                    [key: string]: unknown;
                }) | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Most tokens of one response */
            max_output_tokens?: number | null;
            /** @description Randomness of the responses; 0 for the least */
            temperature?: number | null;
            /** @description Share of probability that tokens are chosen from */
            top_p?: number | null;
            /** @description Reasoning */
            reasoning?: ({
                /** @description How much the model reasons */
                effort?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description `drydock.session_id`, or `drydock.trace_id` with `drydock.span_id`, name what the call belongs to, and are not passed on */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Accepted. No response is stored */
            store?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        RetestRequest: {
            /** @description Name */
            name?: string | null;
            /** @description The target of the finding by default */
            target_config?: {
                [key: string]: unknown;
            } | null;
            /** @description Model that is attacked */
            target_model?: string | null;
            /** @description Of the attack; those of the finding by default */
            trials?: number | null;
        };
        RewardRecipe: {
            /**
             * @description Name
             * @enum {string}
             */
            name: "contains_v1" | "exact_match_v1" | "gsm8k_v1" | "row_reward_v1" | "trajectory_imitation_v1";
            /**
             * @description Parameters
             * @default {}
             */
            params?: {
                [key: string]: unknown;
            };
        };
        Runtime: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Key: a slug that is unique where it is used */
            key: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "idle" | "running" | "paused";
            /** @description SHA-256 of the canonical JSON of its configuration */
            config_digest: string;
            /** @description Version of the configuration format */
            config_version: string;
            /**
             * Format: uuid
             * @description Id of the workspace; null for none
             */
            workspace_id: string;
            /** @description Id of the project; null for none */
            project_id: string | null;
            /** @description Key of the project */
            project_key: string | null;
            /** @description Name of the project */
            project_name: string | null;
            /** @description User that created it */
            created_by: string | null;
            /** @description Whether you may operate it */
            owned_by_me: boolean;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
            instance: components["schemas"]["RuntimeInstanceData"] | null;
        };
        RuntimeCapabilityBinding: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the artifact
             */
            artifact_id: string;
            /** @description Local name, or `owner/name` of another organization’s */
            capability_name: string;
            /** @description Version */
            version: string;
            /** @description Whether it is used */
            enabled: boolean;
            /** @description agents, tools, skills, hooks, mcp_servers, workers */
            component_counts: {
                [key: string]: number;
            };
            /** @description As they are in effect */
            flags: {
                [key: string]: boolean;
            };
            /** @description Description for people */
            description: string | null;
            /** @description The newest release that there is for you */
            latest_version: string | null;
            /** @description `organization`: an artifact of this organization; `public`: a public artifact of another organization */
            source: ("organization" | "public") | null;
        };
        RuntimeConfig: {
            /**
             * @description Version
             * @default v2
             * @constant
             */
            version?: "v2";
            /**
             * @description How the sandbox is prepared
             * @default {}
             */
            build?: {
                /**
                 * @description Profile
                 * @default default
                 */
                profile?: string;
                /**
                 * @description Provider
                 * @default auto
                 * @enum {string}
                 */
                provider?: "auto" | "container" | "hosted_sandbox";
                /**
                 * @description Where it comes from
                 * @default {}
                 */
                source?: {
                    /**
                     * @description Kind
                     * @default builtin
                     */
                    kind?: string;
                    /**
                     * @description Reference
                     * @default runtime
                     */
                    ref?: string;
                };
            };
            /** @description Capabilities */
            capabilities?: {
                /** @description Local name, or `owner/name` of a public one */
                name: string;
                /**
                 * @description null: the newest release
                 * @default null
                 */
                version?: string | null;
                /**
                 * @description Whether it is used
                 * @default true
                 */
                enabled?: boolean;
            }[];
            /**
             * @description Defaults of the agent
             * @default {}
             */
            defaults?: {
                /**
                 * @description Agent that does the work
                 * @default null
                 */
                agent?: string | null;
                /**
                 * @description Capability, by name, or by name and version
                 * @default null
                 */
                capability?: string | null;
                /**
                 * @description Name of the model
                 * @default null
                 */
                model?: string | null;
                /**
                 * @description System prompt
                 * @default null
                 */
                system_prompt?: string | null;
            };
            /**
             * @description Labels for people and programs
             * @default {}
             */
            metadata?: {
                /** @description Labels by name */
                labels?: {
                    [key: string]: string;
                };
            };
            /**
             * @description Resources
             * @default {}
             */
            resources?: {
                /**
                 * @description CPU cores
                 * @default 2
                 */
                cpu_cores?: number;
                /**
                 * @description Memory in MiB
                 * @default 2048
                 */
                memory_mb?: number;
            };
            /**
             * @description Server inside the sandbox
             * @default {}
             */
            runtime_server?: {
                /** @description Environment variables */
                env?: {
                    [key: string]: string;
                };
            };
            /**
             * @description Settings of the sandbox
             * @default {}
             */
            sandbox?: {
                /** @description Hosts that may be reached over HTTP and HTTPS; absent: no network at all */
                egress_allow?: string[];
                /** @description Another form of egress_allow; give one of them */
                egress?: {
                    /** @description Hosts that the sandbox may reach */
                    allow?: string[];
                } | null;
                /**
                 * @description What its programs reach of the platform, without a key: `inference` the models of the gateway, `full` also traces and sessions; absent: none
                 * @enum {string}
                 */
                platform_access?: "none" | "inference" | "full";
                /** @description Most that the model calls of one sandbox may cost; absent: no limit of its own */
                spend_limit_usd?: number;
                /** @description Ports that can be reached from outside */
                exposed_ports?: number[];
                /**
                 * @description Time limit in seconds
                 * @default null
                 */
                timeout_seconds?: number | null;
                /**
                 * @description Whether the sandbox has a /workspace
                 * @default true
                 */
                workspace_mount?: boolean;
            };
            /**
             * @description Secrets that the runtime may use
             * @default {}
             */
            secrets?: {
                /** @description Ids of the secrets that become environment variables */
                secret_ids?: string[];
            };
        };
        RuntimeConfigReplaceRequest: {
            /**
             * @description Version
             * @default v2
             * @constant
             */
            version?: "v2";
            /**
             * @description How the sandbox is prepared
             * @default {}
             */
            build?: {
                /**
                 * @description Profile
                 * @default default
                 */
                profile?: string;
                /**
                 * @description Provider
                 * @default auto
                 * @enum {string}
                 */
                provider?: "auto" | "container" | "hosted_sandbox";
                /**
                 * @description Where it comes from
                 * @default {}
                 */
                source?: {
                    /**
                     * @description Kind
                     * @default builtin
                     */
                    kind?: string;
                    /**
                     * @description Reference
                     * @default runtime
                     */
                    ref?: string;
                };
            };
            /** @description Capabilities */
            capabilities?: {
                /** @description Local name, or `owner/name` of a public one */
                name: string;
                /**
                 * @description null: the newest release
                 * @default null
                 */
                version?: string | null;
                /**
                 * @description Whether it is used
                 * @default true
                 */
                enabled?: boolean;
            }[];
            /**
             * @description Defaults of the agent
             * @default {}
             */
            defaults?: {
                /**
                 * @description Agent that does the work
                 * @default null
                 */
                agent?: string | null;
                /**
                 * @description Capability, by name, or by name and version
                 * @default null
                 */
                capability?: string | null;
                /**
                 * @description Name of the model
                 * @default null
                 */
                model?: string | null;
                /**
                 * @description System prompt
                 * @default null
                 */
                system_prompt?: string | null;
            };
            /**
             * @description Labels for people and programs
             * @default {}
             */
            metadata?: {
                /** @description Labels by name */
                labels?: {
                    [key: string]: string;
                };
            };
            /**
             * @description Resources
             * @default {}
             */
            resources?: {
                /**
                 * @description CPU cores
                 * @default 2
                 */
                cpu_cores?: number;
                /**
                 * @description Memory in MiB
                 * @default 2048
                 */
                memory_mb?: number;
            };
            /**
             * @description Server inside the sandbox
             * @default {}
             */
            runtime_server?: {
                /** @description Environment variables */
                env?: {
                    [key: string]: string;
                };
            };
            /**
             * @description Settings of the sandbox
             * @default {}
             */
            sandbox?: {
                /** @description Hosts that may be reached over HTTP and HTTPS; absent: no network at all */
                egress_allow?: string[];
                /** @description Another form of egress_allow; give one of them */
                egress?: {
                    /** @description Hosts that the sandbox may reach */
                    allow?: string[];
                } | null;
                /**
                 * @description What its programs reach of the platform, without a key: `inference` the models of the gateway, `full` also traces and sessions; absent: none
                 * @enum {string}
                 */
                platform_access?: "none" | "inference" | "full";
                /** @description Most that the model calls of one sandbox may cost; absent: no limit of its own */
                spend_limit_usd?: number;
                /** @description Ports that can be reached from outside */
                exposed_ports?: number[];
                /**
                 * @description Time limit in seconds
                 * @default null
                 */
                timeout_seconds?: number | null;
                /**
                 * @description Whether the sandbox has a /workspace
                 * @default true
                 */
                workspace_mount?: boolean;
            };
            /**
             * @description Secrets that the runtime may use
             * @default {}
             */
            secrets?: {
                /** @description Ids of the secrets that become environment variables */
                secret_ids?: string[];
            };
            /** @description Read where no other field is given */
            config?: components["schemas"]["RuntimeConfig"];
        };
        RuntimeConfigResponse: {
            /**
             * @description Version
             * @constant
             */
            version: "v2";
            /** @description How the sandbox is prepared */
            build: {
                /** @description Profile */
                profile: string;
                /**
                 * @description Provider
                 * @enum {string}
                 */
                provider: "auto" | "container" | "hosted_sandbox";
                /** @description Where it comes from */
                source: {
                    /** @description Kind */
                    kind: string;
                    /** @description Reference */
                    ref: string;
                };
            };
            /** @description Capabilities */
            capabilities: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string | null;
                /** @description Whether it is used */
                enabled: boolean;
            }[];
            /** @description Defaults of the agent */
            defaults: {
                /** @description Agent that does the work */
                agent: string | null;
                /** @description Capability, by name, or by name and version */
                capability: string | null;
                /** @description Name of the model */
                model: string | null;
                /** @description System prompt */
                system_prompt: string | null;
            };
            /** @description Labels for people and programs */
            metadata: {
                /** @description Labels by name */
                labels: {
                    [key: string]: string;
                };
            };
            /** @description Resources */
            resources: {
                /** @description CPU cores */
                cpu_cores: number;
                /** @description Memory in MiB */
                memory_mb: number;
            };
            /** @description Server inside the sandbox */
            runtime_server: {
                /** @description The values are masked for everybody but the owner */
                env: {
                    [key: string]: string;
                };
            };
            /** @description Settings of the sandbox */
            sandbox: {
                /** @description Hosts that the sandbox may reach */
                egress_allow?: string[];
                /**
                 * @description What programs in the sandbox may use of this server
                 * @enum {string}
                 */
                platform_access?: "none" | "inference" | "full";
                /** @description Most that programs in the sandbox may spend on models, in US dollars */
                spend_limit_usd?: number;
                /** @description Ports that can be reached from outside */
                exposed_ports: number[];
                /** @description Time limit in seconds */
                timeout_seconds: number | null;
                /** @description Whether the sandbox has a /workspace */
                workspace_mount: boolean;
            };
            /** @description Secrets that the runtime may use */
            secrets: {
                /** @description Ids of the secrets that become environment variables */
                secret_ids: string[];
            };
            /**
             * Format: uuid
             * @description Id of the runtime
             */
            runtime_id: string;
            /** @description SHA-256 of the configuration with its defaults */
            config_digest: string;
            /** @description The same as one document, with `sandbox.egress.allow` in place of `sandbox.egress_allow` */
            config: {
                /**
                 * @description Version
                 * @constant
                 */
                version: "v2";
                /** @description How the sandbox is prepared */
                build: {
                    /** @description Profile */
                    profile: string;
                    /**
                     * @description Provider
                     * @enum {string}
                     */
                    provider: "auto" | "container" | "hosted_sandbox";
                    /** @description Where it comes from */
                    source: {
                        /** @description Kind */
                        kind: string;
                        /** @description Reference */
                        ref: string;
                    };
                };
                /** @description Capabilities */
                capabilities: {
                    /** @description Name */
                    name: string;
                    /** @description Version */
                    version: string | null;
                    /** @description Whether it is used */
                    enabled: boolean;
                }[];
                /** @description Defaults of the agent */
                defaults: {
                    /** @description Agent that does the work */
                    agent: string | null;
                    /** @description Capability, by name, or by name and version */
                    capability: string | null;
                    /** @description Name of the model */
                    model: string | null;
                    /** @description System prompt */
                    system_prompt: string | null;
                };
                /** @description Labels for people and programs */
                metadata: {
                    /** @description Labels by name */
                    labels: {
                        [key: string]: string;
                    };
                };
                /** @description Resources */
                resources: {
                    /** @description CPU cores */
                    cpu_cores: number;
                    /** @description Memory in MiB */
                    memory_mb: number;
                };
                /** @description Server inside the sandbox */
                runtime_server: {
                    /** @description The values are masked for everybody but the owner */
                    env: {
                        [key: string]: string;
                    };
                };
                /** @description Settings of the sandbox */
                sandbox: {
                    /** @description The same as egress_allow, as other clients write it */
                    egress?: {
                        /** @description Hosts that the sandbox may reach */
                        allow: string[];
                    };
                    /**
                     * @description What programs in the sandbox may use of this server
                     * @enum {string}
                     */
                    platform_access?: "none" | "inference" | "full";
                    /** @description Most that programs in the sandbox may spend on models, in US dollars */
                    spend_limit_usd?: number;
                    /** @description Ports that can be reached from outside */
                    exposed_ports: number[];
                    /** @description Time limit in seconds */
                    timeout_seconds: number | null;
                    /** @description Whether the sandbox has a /workspace */
                    workspace_mount: boolean;
                };
                /** @description Secrets that the runtime may use */
                secrets: {
                    /** @description Ids of the secrets that become environment variables */
                    secret_ids: string[];
                };
            };
        };
        RuntimeCreateRequest: {
            /** @description Name */
            name?: string | null;
            /** @description Derived from the name by default; with neither, `default-` and your username */
            key?: string | null;
            /** @description Description for people */
            description?: string | null;
            /** @description Project key or uuid */
            project?: string | null;
            /** @description Requested time limit, in seconds */
            requested_runtime_limit_seconds?: number | null;
            /** @default {} */
            config?: components["schemas"]["RuntimeConfig"];
        };
        RuntimeCreateResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Key: a slug that is unique where it is used */
            key: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "idle" | "running" | "paused";
            /** @description SHA-256 of the canonical JSON of its configuration */
            config_digest: string;
            /** @description Version of the configuration format */
            config_version: string;
            /**
             * Format: uuid
             * @description Id of the workspace; null for none
             */
            workspace_id: string;
            /** @description Id of the project; null for none */
            project_id: string | null;
            /** @description Key of the project */
            project_key: string | null;
            /** @description Name of the project */
            project_name: string | null;
            /** @description User that created it */
            created_by: string | null;
            /** @description Whether you may operate it */
            owned_by_me: boolean;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
            instance: components["schemas"]["RuntimeInstanceData"] | null;
            /** @description Whether this call created it */
            created: boolean;
        };
        RuntimeExecExit: {
            /** @description 127: no such program; 128 + n: ended by signal n */
            exit_code: number;
            /** @description More was written than is here */
            truncated: boolean;
            /** @description How long it took, in milliseconds */
            duration_ms: number;
            /** @description Whether the time limit ended the command */
            timed_out: boolean;
        };
        RuntimeExecOutput: {
            /** @description Invalid UTF-8 is replaced by U+FFFD */
            data: string;
        };
        RuntimeExecRequest: {
            /** @description A string runs in `bash -c`, or in `sh -c` where there is no bash; an array is a program and its arguments */
            command: string | string[];
            /** @description Absolute path; /workspace by default, or / where that is not mounted */
            cwd?: string | null;
            /** @description Added to the environment of the sandbox; overrides it */
            env?: {
                [key: string]: string;
            } | null;
            /** @description What the command reads; without it, nothing */
            stdin?: string | null;
            /** @description The same as bytes; not beside stdin */
            stdin_base64?: string | null;
            /** @description The command is killed after this time. 600 by default, and limited by the remaining time of the sandbox */
            timeout_seconds?: number | null;
            /** @description Respond with server-sent events, as with `Accept: text/event-stream` */
            stream?: boolean | null;
        };
        RuntimeExecResponse: {
            /** @description 127: no such program; 128 + n: ended by signal n */
            exit_code: number;
            /** @description More was written than is here */
            truncated: boolean;
            /** @description How long it took, in milliseconds */
            duration_ms: number;
            /** @description Whether the time limit ended the command */
            timed_out: boolean;
            /** @description At most 1 MiB; invalid UTF-8 is replaced by U+FFFD */
            stdout: string;
            /** @description At most 1 MiB; invalid UTF-8 is replaced by U+FFFD */
            stderr: string;
        };
        RuntimeFile: {
            /** @description Bytes that are no UTF-8 are shown as U+FFFD */
            name: string;
            /** @description Relative to /workspace */
            path: string;
            /**
             * @description Type
             * @enum {string}
             */
            type: "file" | "directory" | "symlink" | "other";
            /** @description Size in bytes */
            size_bytes: number;
            /**
             * Format: date-time
             * @description When the file was last changed
             */
            modified_at: string;
            /** @description Such as 0644 */
            mode: string;
        };
        RuntimeFileList: {
            /** @description By name */
            entries: components["schemas"]["RuntimeFile"][];
            /** @description There are more than are listed */
            is_truncated: boolean;
        };
        RuntimeInstanceData: {
            /**
             * Format: uuid
             * @description Id of the sandbox
             */
            sandbox_id: string;
            /** @description Provider */
            provider: string;
            /** @description Id of the sandbox at its provider */
            provider_sandbox_id: string;
            /**
             * @description State
             * @enum {string}
             */
            state: "running" | "paused" | "killed";
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description Without the time in which it was paused */
            total_runtime_seconds: number;
            /** @description Address of the sandbox */
            sandbox_url: string | null;
            /** @description null while it does not run */
            expires_at: string | null;
            /** @description Why it is paused */
            pause_reason: ("timeout" | "user" | "insufficient_credits" | "member_limit_exceeded") | null;
            /** @description Where it is false, a pause is refused as 409 */
            supports_pause: boolean;
            /** @description Requested time limit, in seconds */
            requested_runtime_limit_seconds: number | null;
            /** @description Level that the requested limit comes from */
            requested_runtime_limit_source_level: ("l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default" | "l4_requested") | null;
            /** @description Time limit after all levels, in seconds */
            configured_runtime_limit_seconds: number | null;
            /** @description Level that decided the time limit */
            configured_runtime_limit_source_level: ("l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default" | "l4_requested") | null;
            /** @description Time limit that was granted, in seconds */
            actual_runtime_limit_seconds: number | null;
            /** @description Whether the balance of credits shortened the time limit */
            runtime_limited_by_credits: boolean;
            /** @description As in the ledger */
            billed_credits: number;
            /** @description Since the last billing */
            running_credits: number;
            /** @description Both, and what is left until it expires */
            estimated_total_credits: number;
        };
        RuntimeKeepAliveRequest: {
            /** @description Seconds that the time limit is extended by */
            extend_seconds: number;
        };
        RuntimeKeepAliveResponse: {
            /**
             * Format: date-time
             * @description Never later than the longest time that it may run
             */
            expires_at: string;
        };
        RuntimePage: {
            /** @description The entries of this page */
            items: components["schemas"]["Runtime"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        RuntimeProgress: {
            /** @description Its name, for programs */
            step: string;
            /** @description Message */
            message: string;
        };
        RuntimeStartRequest: {
            /** @description Ids of the secrets that become environment variables */
            secret_ids?: string[] | null;
            /** @description Requested time limit, in seconds */
            requested_runtime_limit_seconds?: number | null;
        };
        Sandbox: {
            /**
             * Format: uuid
             * @description Id of the sandbox
             */
            sandbox_id: string;
            /** @description Provider */
            provider: string;
            /** @description Id of the sandbox at its provider */
            provider_sandbox_id: string;
            /**
             * @description State
             * @enum {string}
             */
            state: "running" | "paused" | "killed";
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description Without the time in which it was paused */
            total_runtime_seconds: number;
            /** @description Address of the sandbox */
            sandbox_url: string | null;
            /** @description null while it does not run */
            expires_at: string | null;
            /** @description Why it is paused */
            pause_reason: ("timeout" | "user" | "insufficient_credits" | "member_limit_exceeded") | null;
            /** @description Where it is false, a pause is refused as 409 */
            supports_pause: boolean;
            /** @description Requested time limit, in seconds */
            requested_runtime_limit_seconds: number | null;
            /** @description Level that the requested limit comes from */
            requested_runtime_limit_source_level: ("l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default" | "l4_requested") | null;
            /** @description Time limit after all levels, in seconds */
            configured_runtime_limit_seconds: number | null;
            /** @description Level that decided the time limit */
            configured_runtime_limit_source_level: ("l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default" | "l4_requested") | null;
            /** @description Time limit that was granted, in seconds */
            actual_runtime_limit_seconds: number | null;
            /** @description Whether the balance of credits shortened the time limit */
            runtime_limited_by_credits: boolean;
            /** @description As in the ledger */
            billed_credits: number;
            /** @description Since the last billing */
            running_credits: number;
            /** @description Both, and what is left until it expires */
            estimated_total_credits: number;
            /**
             * @description What it was started for; every other than `user` is removed with the work that started it
             * @enum {string}
             */
            origin: "user" | "worker" | "eval" | "optimization" | "training" | "world";
            /**
             * Format: uuid
             * @description Id of the runtime
             */
            runtime_id: string;
            /** @description null: the runtime was deleted */
            runtime_key: string | null;
            /** @description Name of the runtime */
            runtime_name: string | null;
            /**
             * Format: uuid
             * @description Id of the workspace; null for none
             */
            workspace_id: string;
            /** @description Slug of the workspace */
            workspace_key: string;
            /** @description Id of the project; null for none */
            project_id: string | null;
            /** @description Key of the project */
            project_key: string | null;
            /** @description Its owner */
            created_by: components["schemas"]["UserIdentity"] | null;
            /** @description Whether the caller owns it */
            owned_by_me: boolean;
            /** @description Of the configuration that it was started with */
            config_digest: string;
            /** @description Those that are held */
            limits: {
                [key: string]: number;
            };
            /** @description When it ended; null while it has not */
            ended_at: string | null;
            /** @description Why it ended */
            end_reason: string | null;
        };
        SandboxLogEntry: {
            /** @description Number of the entry */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "lifecycle" | "egress";
            /** @description Message */
            message: string;
            /** @description Additional data of the entry */
            details: {
                [key: string]: unknown;
            };
        };
        SandboxLogPage: {
            /** @description The entries of this page */
            items: components["schemas"]["SandboxLogEntry"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        SandboxPage: {
            /** @description The entries of this page */
            items: components["schemas"]["Sandbox"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        SandboxProvider: {
            /** @description Name */
            name: string;
            /** @description Whether it can be used here */
            available: boolean;
            /** @description Why it is not available, and what to do about it */
            reason?: string;
            /** @description Whether sandboxes can be paused */
            supports_pause: boolean;
            /** @description What a pause keeps */
            preserves: ("disk" | "memory" | "processes")[];
            /** @description What can be enforced */
            limits: ("cpu" | "memory" | "pids")[];
            /**
             * @description What stands between two sandboxes
             * @enum {string}
             */
            isolation: "process" | "container" | "vm";
        };
        SandboxUsageResponse: {
            /** @description Since the 1st of the month, UTC */
            current_month_seconds: number;
            /** @description Sandboxes that were created */
            sessions_count: number;
            /** @description How long sandboxes ran, in seconds */
            total_runtime_seconds: number;
        };
        ScopeEntry: {
            /**
             * @description What it is about
             * @enum {string}
             */
            resource: "user" | "organization" | "members" | "workspaces" | "projects" | "datasets" | "models" | "capabilities" | "tasks" | "task_sets" | "storage" | "sessions" | "traces" | "usage" | "exports" | "inference" | "runtimes" | "evaluations" | "training" | "optimization" | "airt";
            /** @description Actions that can be allowed */
            actions: string[];
        };
        Scorer: {
            /**
             * @description Type
             * @constant
             */
            type: "exact";
            /** @description Key of the score; the type by default */
            name?: string | null;
            /** @description Value */
            value?: (string | number) | null;
            /** @description Column of the dataset */
            column?: string | null;
            /**
             * @description Whether upper and lower case are the same
             * @default false
             */
            ignore_case?: boolean;
            /**
             * @description Whether white space at both ends is left out
             * @default true
             */
            trim?: boolean;
        } | {
            /**
             * @description Type
             * @constant
             */
            type: "contains";
            /** @description Key of the score; the type by default */
            name?: string | null;
            /** @description Value */
            value?: (string | number) | null;
            /** @description Column of the dataset */
            column?: string | null;
            /**
             * @description Whether upper and lower case are the same
             * @default false
             */
            ignore_case?: boolean;
        } | {
            /**
             * @description Type
             * @constant
             */
            type: "numeric";
            /** @description Key of the score; the type by default */
            name?: string | null;
            /** @description Value */
            value?: (string | number) | null;
            /** @description Column of the dataset */
            column?: string | null;
            /**
             * @description Largest difference that is accepted
             * @default 0
             */
            tolerance?: number;
        } | {
            /**
             * @description Type
             * @constant
             */
            type: "reward";
            /** @description Key of the score; the type by default */
            name?: string | null;
            /**
             * @description Reads `expected_output` and `reward` of the row
             * @default {
             *       "name": "row_reward_v1",
             *       "params": {}
             *     }
             */
            recipe?: components["schemas"]["RewardRecipe"];
        };
        Secret: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Name */
            name: string;
            /** @description Value with its middle left out */
            masked_value: string;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        SecretCreateRequest: {
            /** @description Name */
            name: string;
            /** @description Value */
            value: string;
        };
        SecretListResponse: {
            /** @description Secrets of the user */
            secrets: components["schemas"]["Secret"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
        };
        SecretReplaceRequest: {
            /** @description Omitted: stays */
            name?: string;
            /** @description Value */
            value: string;
        };
        ServeModelResponse: {
            /** @description For calls: `local/<name>@<version>` */
            id: string;
        };
        ServedModel: {
            /** @description `local/<name>@<version>`: the model in calls of the gateway and in evaluations */
            id: string;
            /** @description Name */
            name: string;
            /** @description Version */
            version: string;
            /** @description It is in the memory of this process; otherwise its next call starts it */
            running: boolean;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        SessionCompactedEvent: {
            /** @description Number of the last message that was compacted */
            up_to_seq: number;
            /** @description Number of the message that is the summary */
            summary_seq: number;
            /** @description How often the session was compacted */
            era: number;
        };
        SessionCreateRequest: {
            /**
             * Format: uuid
             * @description Generated by the client; saving again with the same id changes the session
             */
            id: string;
            /** @description Name of the model */
            model: string;
            /** @description Agent that does the work */
            agent?: string | null;
            /** @description Title for people */
            title?: string | null;
            /** @description Labels by name */
            labels?: {
                [key: string]: string[];
            } | null;
            /**
             * @description Your figure; it counts until messages are stored here
             * @default 0
             */
            message_count?: number;
            /**
             * @description Set by the first save, then fixed
             * @default user
             * @enum {string}
             */
            origin?: "user" | "eval" | "worker";
            /**
             * @description What is visible in the workspace stays so
             * @default private
             * @enum {string}
             */
            visibility?: "private" | "workspace";
            /** @description Id of the group of sessions */
            group_id?: string | null;
            /** @description Id of the project; null for none */
            project_id?: string | null;
            /** @description Id of the runtime */
            runtime_id?: string | null;
        };
        SessionFacetsResponse: {
            /** @description Counts by agent */
            agents: components["schemas"]["LabelFacetEntry"][];
            /** @description Models */
            models: components["schemas"]["LabelFacetEntry"][];
            /** @description Counts by origin */
            origins: components["schemas"]["LabelFacetEntry"][];
            /** @description Owners of sessions */
            users: components["schemas"]["UserFacetEntry"][];
            /** @description Counts by kind of group */
            group_kinds: components["schemas"]["LabelFacetEntry"][];
            /** @description Counts by state of the group */
            group_statuses: components["schemas"]["LabelFacetEntry"][];
            /** @description By key. At most 50000 values in all: those of most sessions */
            labels: {
                [key: string]: components["schemas"]["LabelFacetEntry"][];
            };
        };
        SessionGroupCreateRequest: {
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "worker_run" | "evaluation_item" | "workflow";
            /**
             * Format: uuid
             * @description Generated by default
             */
            id?: string;
            /** @description Title for people */
            title?: string | null;
            /**
             * @description null: it has not begun
             * @default running
             */
            status?: ("running" | "completed" | "failed" | "cancelled") | null;
            /** @description Name of the worker */
            worker?: string | null;
            /** @description Capability, by name, or by name and version */
            capability?: string | null;
            /** @description Version of the capability */
            capability_version?: string | null;
            /** @description Id of the evaluation */
            evaluation_id?: string | null;
            /** @description Id of the sample */
            evaluation_item_id?: string | null;
            /** @description Id of the attempt at the sample */
            evaluation_item_attempt_id?: string | null;
            /** @description Id of the runtime */
            runtime_id?: string | null;
            /** @description Omitted: when it begins */
            started_at?: string | null;
        };
        SessionGroupSummary: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "worker_run" | "evaluation_item" | "workflow";
            /** @description State */
            status: ("running" | "completed" | "failed" | "cancelled") | null;
            /** @description Title for people */
            title: string | null;
            /** @description Name of the worker */
            worker: string | null;
            /** @description Capability, by name, or by name and version */
            capability: string | null;
            /** @description Version of the capability */
            capability_version: string | null;
            /** @description Id of the evaluation */
            evaluation_id: string | null;
            /** @description Id of the sample */
            evaluation_item_id: string | null;
            /** @description Id of the attempt at the sample */
            evaluation_item_attempt_id: string | null;
            /** @description Id of the runtime */
            runtime_id: string | null;
            /** @description Sessions of the group that you can see; so for all its counts */
            session_count: number;
            /** @description Those that are neither archived nor frozen */
            active_session_count: number;
            /** @description How many messages there are */
            message_count: number;
            /** @description All tokens together */
            total_tokens: number;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
            /** @description When something last happened */
            last_activity_at: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        SessionGroupUpdateRequest: {
            /** @description What has ended stays so */
            status?: ("running" | "completed" | "failed" | "cancelled") | null;
            /** @description Title for people */
            title?: string | null;
            /** @description Capability, by name, or by name and version */
            capability?: string | null;
            /** @description Version of the capability */
            capability_version?: string | null;
            /** @description Omitted: when it begins */
            started_at?: string | null;
            /** @description Of a group that has ended; by default the time of its end */
            completed_at?: string | null;
        };
        /** @description A document in ATIF or in the form of Chat Completions */
        SessionImportRequest: {
            /**
             * @description Version of the form of the document
             * @enum {unknown}
             */
            schema_version?: "ATIF-v1.7";
            /** @description Agent that does the work */
            agent: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Name of the model */
                model_name?: string;
            };
            /** @description Steps */
            steps: {
                /** @description Number of the step */
                step_id: number;
                /**
                 * @description Where it comes from
                 * @enum {unknown}
                 */
                source: "system" | "user" | "agent";
                /** @description Message */
                message: string;
            }[];
        } | {
            /** @description Messages, in their order */
            messages: {
                /**
                 * @description Role
                 * @enum {unknown}
                 */
                role: "system" | "user" | "assistant";
                /** @description Content */
                content: string;
            }[];
        } | {
            /**
             * @description Role
             * @enum {unknown}
             */
            role: "system" | "user" | "assistant";
            /** @description Content */
            content: string;
        }[] | {
            [key: string]: unknown;
        };
        SessionListResponse: {
            /** @description Sessions of this page */
            sessions: components["schemas"]["SessionResponse"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
            /** @description Whether `total` is exact; else there are more */
            total_is_exact: boolean;
        };
        SessionMessagesEvent: {
            /** @description Number of the first message */
            first_seq: number;
            /** @description Number of the last message */
            last_seq: number;
            /** @description Messages, in their order */
            messages: components["schemas"]["StoredMessage"][];
        };
        SessionResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the user
             */
            user_id: string;
            /**
             * Format: uuid
             * @description Id of the workspace; null for none
             */
            workspace_id: string;
            /** @description Name of the model */
            model: string;
            /** @description Agent that does the work */
            agent: string | null;
            /** @description Title for people */
            title: string | null;
            /**
             * @description What created it
             * @enum {string}
             */
            origin: "user" | "worker" | "eval" | "optimization" | "training" | "world";
            /**
             * @description Users who may read it besides its owner
             * @enum {string}
             */
            visibility: "private" | "workspace";
            /** @description When it was archived; null while it is not */
            archived_at: string | null;
            /** @description When it was frozen; null while it is not */
            frozen_at: string | null;
            /** @description What froze it: a user or an evaluation */
            frozen_by: ("evaluation" | "user") | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
            /** @description Time of the last message */
            last_message_at: string | null;
            /** @description How many messages there are */
            message_count: number;
            /** @description Number of the newest messages that are current, at most 25 */
            recent_message_count: number | null;
            /** @description Beginning of the conversation */
            preview_text: string | null;
            /** @description Labels by name */
            labels: {
                [key: string]: string[];
            };
            created_by: components["schemas"]["UserIdentity"] | null;
            /** @description Id of the group of sessions */
            group_id: string | null;
            group: components["schemas"]["SessionGroupSummary"] | null;
            /** @description Id of the project; null for none */
            project_id: string | null;
            /** @description Key of the project */
            project_key: string | null;
            /** @description Name of the project */
            project_name: string | null;
            /** @description Id of the runtime */
            runtime_id: string | null;
            usage: components["schemas"]["SessionUsageResponse"];
        };
        SessionRewindRequest: {
            /** @description The first message to delete */
            from_seq: number;
        };
        SessionRewindResponse: {
            /** @description How many messages were deleted */
            deleted_count: number;
            /** @description The last message that is left; 0 when none is */
            target_seq: number;
            /** @description Content of the first deleted message */
            restored_content: string;
        };
        SessionRewoundEvent: {
            /** @description Number of the first message that was deleted */
            from_seq: number;
            /** @description How many messages were deleted */
            deleted_count: number;
            /** @description Number of the last message that was kept */
            target_seq: number;
        };
        SessionStateEvent: {
            /** @description Title for people */
            title: string | null;
            /** @description Name of the model */
            model: string;
            /** @description Agent that does the work */
            agent: string | null;
            /** @description Labels by name */
            labels: {
                [key: string]: string[];
            };
            /**
             * @description Users who may read it besides its owner
             * @enum {string}
             */
            visibility: "private" | "workspace";
            /** @description When it was archived; null while it is not */
            archived_at: string | null;
            /** @description When it was frozen; null while it is not */
            frozen_at: string | null;
            /** @description What froze it: a user or an evaluation */
            frozen_by: ("evaluation" | "user") | null;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        /** @description A document in the requested format */
        SessionTrajectory: {
            [key: string]: unknown;
        };
        SessionUpdateRequest: {
            /** @description Title for people */
            title?: string | null;
            /** @description Labels by name */
            labels?: {
                [key: string]: string[];
            } | null;
            /** @description Name of the model */
            model?: string;
            /** @description Agent that does the work */
            agent?: string | null;
            /**
             * @description What is visible in the workspace stays so
             * @enum {string}
             */
            visibility?: "private" | "workspace";
            /** @description Id of the project; null for none */
            project_id?: string | null;
        };
        SessionUsageResponse: {
            /** @description How often the session was compacted */
            compaction_count: number;
            /** @description Messages of the current era */
            current_message_count: number;
            /** @description Input tokens since the last compaction */
            current_input_tokens: number;
            /** @description Output tokens since the last compaction */
            current_output_tokens: number;
            /** @description Input tokens read from a cache since the last compaction */
            current_cache_read_input_tokens: number;
            /** @description Input tokens written to a cache since the last compaction */
            current_cache_creation_input_tokens: number;
            /** @description Tool calls since the last compaction */
            current_tool_call_count: number;
            /** @description null when a generation has no cost */
            current_cost_usd: number | null;
            /** @description Messages of all eras */
            total_message_count: number;
            /** @description All input tokens */
            total_input_tokens: number;
            /** @description All output tokens */
            total_output_tokens: number;
            /** @description All input tokens read from a cache */
            total_cache_read_input_tokens: number;
            /** @description All input tokens written to a cache */
            total_cache_creation_input_tokens: number;
            /** @description All tool calls */
            total_tool_call_count: number;
            /** @description null when a generation has no cost */
            total_cost_usd: number | null;
            /** @description Input tokens of the newest response */
            last_generation_input_tokens: number | null;
        };
        SignupRequest: {
            /** @description E-mail address */
            email_address: string;
            /** @description Password */
            password: string;
            /** @description 3 to 39 lower-case letters, digits and inner dashes */
            username?: string | null;
            /** @description From the link of an invitation */
            invitation_token?: string | null;
        };
        Span: {
            /** @description 32 hexadecimal digits */
            trace_id: string;
            /** @description 16 hexadecimal digits */
            span_id: string;
            /** @description Id of the parent span; null for a root */
            parent_span_id: string | null;
            /** @description Whether a span that you see has it as its parent */
            has_children: boolean;
            /** @description Name */
            name: string;
            /**
             * @description Kind
             * @enum {string}
             */
            kind: "unspecified" | "internal" | "server" | "client" | "producer" | "consumer";
            /**
             * @description Type of the span
             * @enum {string}
             */
            span_type: "span" | "llm" | "agent" | "tool" | "chain" | "retriever" | "embedding" | "reranker" | "guardrail" | "evaluator" | "prompt" | "task" | "evaluation" | "study" | "trial" | "sample" | "transform";
            /**
             * Format: date-time
             * @description When the span began
             */
            start_time: string;
            /**
             * Format: date-time
             * @description When the span ended
             */
            end_time: string;
            /** @description Nanoseconds since 1970 */
            start_time_unix_nano: string;
            /** @description Nanoseconds since 1970 */
            end_time_unix_nano: string;
            /** @description With a fraction, to the nanosecond; 0 where it ended before it began */
            duration_ms: number;
            /** @description State */
            status: {
                /**
                 * @description Code
                 * @enum {string}
                 */
                code: "unset" | "ok" | "error";
                /** @description Message */
                message: string | null;
            };
            /** @description `tracestate` of W3C Trace Context */
            trace_state: string | null;
            /** @description The lowest eight bits are the flags of W3C Trace Context */
            flags: number;
            /** @description `chat`, `execute_tool`, `invoke_agent`… */
            operation: string | null;
            /** @description `openai`, `anthropic`… */
            provider: string | null;
            /** @description The model that responded, or else the requested model */
            model: string | null;
            /** @description Name of the agent */
            agent_name: string | null;
            /** @description Name of the tool */
            tool_name: string | null;
            /** @description As the span gives it */
            conversation_id: string | null;
            /** @description The session of its sender with that id, if there is one */
            session_id: string | null;
            /** @description The project that its resource names, if there still is one */
            project_id: string | null;
            /**
             * Format: uuid
             * @description User whose credential sent it
             */
            user_id: string;
            /** @description Cached ones included */
            input_tokens: number | null;
            /** @description Tokens that the models generated */
            output_tokens: number | null;
            /** @description Of input_tokens: read from a cache */
            cache_read_input_tokens: number | null;
            /** @description Of input_tokens: written to a cache */
            cache_creation_input_tokens: number | null;
            /** @description US dollars: as the span gives it, else by the price list; null when neither knows */
            cost_usd: number | null;
            /** @description What the model was given, read from attributes and events */
            input_messages: components["schemas"]["SpanMessage"][];
            /** @description Output messages of the operation */
            output_messages: components["schemas"]["SpanMessage"][];
            /** @description Numbers keep every digit that was sent */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Events */
            events: components["schemas"]["SpanEvent"][];
            /** @description Links to other spans */
            links: components["schemas"]["SpanLink"][];
            resource: components["schemas"]["SpanResource"];
            scope: components["schemas"]["SpanScope"];
            /** @description `service.name` of its resource */
            service_name: string | null;
            /** @description Not sent, because there were too many */
            dropped_attributes_count: number;
            /** @description Not sent, because there were too many */
            dropped_events_count: number;
            /** @description Not sent, or sent with ids that are none */
            dropped_links_count: number;
            /**
             * Format: date-time
             * @description When it was stored
             */
            received_at: string;
        };
        SpanEvent: {
            /** @description Nanoseconds since 1970 */
            time_unix_nano: string;
            /** @description Name */
            name: string;
            /** @description Numbers keep every digit that was sent */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Not sent, because there were too many */
            dropped_attributes_count: number;
        };
        SpanLink: {
            /** @description 32 hexadecimal digits */
            trace_id: string;
            /** @description 16 hexadecimal digits */
            span_id: string;
            /** @description W3C trace state */
            trace_state: string;
            /** @description Flags of the span, as W3C trace context has them */
            flags: number;
            /** @description Numbers keep every digit that was sent */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Not sent, because there were too many */
            dropped_attributes_count: number;
        };
        SpanMessage: {
            /** @description Role */
            role: string;
            /** @description Text; a list of parts where there is more than text; null where there is none */
            content: unknown;
            /** @description Calls of tools */
            tool_calls?: components["schemas"]["SpanToolCall"][];
            /** @description Id of the tool call that this is the result of */
            tool_call_id?: string;
            /** @description Name */
            name?: string;
        };
        SpanPage: {
            /** @description The entries of this page */
            items: components["schemas"]["Span"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        SpanResource: {
            /** @description Numbers keep every digit that was sent */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Not sent, because there were too many */
            dropped_attributes_count: number;
            /** @description URL of the schema of the attributes */
            schema_url: string;
        };
        SpanScope: {
            /** @description Name */
            name: string;
            /** @description Version */
            version: string;
            /** @description Numbers keep every digit that was sent */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Not sent, because there were too many */
            dropped_attributes_count: number;
            /** @description URL of the schema of the attributes */
            schema_url: string;
        };
        SpanToolCall: {
            /** @description Id */
            id: string | null;
            /** @description Name */
            name: string | null;
            /** @description As the model gave them */
            arguments: unknown;
        };
        StorageCredentialsResponse: {
            /** @description Access key of S3 */
            access_key_id: string;
            /** @description Secret key of S3 */
            secret_access_key: string;
            /** @description Session token of S3, which every request needs */
            session_token: string;
            /** @description Bucket */
            bucket: string;
            /** @description Every key must begin with it; the store refuses all others */
            prefix: string;
            /** @description Region */
            region: string;
            /** @description null: the one that an S3 client knows for the region */
            endpoint: string | null;
            /**
             * Format: date-time
             * @description When the credentials expire
             */
            expiration: string;
        };
        StorageUsage: {
            /** @description Use of each kind of storage */
            items: {
                /**
                 * @description Kind
                 * @enum {string}
                 */
                kind: "objects" | "registry" | "runtimes" | "spans";
                /** @description Bytes that are used */
                used_bytes: number;
                /** @description null: as much as there is room for */
                limit_bytes: number | null;
            }[];
        };
        StoredMessage: {
            /** @description Id */
            id: string;
            /** @description Id of the message that this one follows */
            parent_id: string | null;
            /**
             * @description Role
             * @enum {string}
             */
            role: "system" | "user" | "assistant" | "tool";
            /** @description Content */
            content: string;
            /** @description Calls of tools */
            tool_calls: {
                /** @description Id */
                id: string;
                /** @description Name */
                name: string;
                /** @description Arguments */
                arguments: string;
            }[] | null;
            /** @description Id of the tool call that this is the result of */
            tool_call_id: string | null;
            /** @description The session's when the message was stored; of the assistant only */
            model: string | null;
            /** @description Additional data of the client, stored unchanged */
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @description Tokens that were used */
            usage: {
                /** @description Tokens that the models read, without those from a cache */
                input_tokens: number;
                /** @description Tokens that the models generated */
                output_tokens: number;
                /** @description Input tokens that were read from a cache */
                cache_read_input_tokens: number;
                /** @description Input tokens that were written to a cache */
                cache_creation_input_tokens: number;
                /** @description Cost in US dollars; null where the price is not known */
                cost_usd: number | null;
            } | null;
            /** @description Number in the order of the list, from 1 */
            seq: number;
            /** @description Number of compactions before it */
            era: number;
            /** @description Of a summary: it replaces the messages up to this one */
            compacted_up_to_seq: number | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        TaskDetail: {
            /**
             * Format: uuid
             * @description Of this version
             */
            id: string;
            /** @description With the key of its organization: `org/name` */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Tags */
            tags: string[] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            /** @description How many versions there are */
            version_count: number;
            /** @description Difficulty */
            difficulty: string | null;
            /** @description Where it comes from */
            source: string | null;
            /** @description How a solution is verified */
            verification_method: string | null;
            /** @description Whether the task comes with a solution */
            has_solution: boolean;
            /** @description Time limit in seconds */
            timeout_seconds: number | null;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            /**
             * Format: uuid
             * @description Id of the organization
             */
            organization_id: string;
            /** @description Slug of the organization */
            org_key: string;
            /** @description Over the manifest and the files, in hexadecimal */
            digest: string;
            /** @description Manifest, as it was published */
            manifest: {
                [key: string]: unknown;
            };
            /** @description How many files it has */
            file_count: number;
            /** @description User who published this version; for members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
        };
        TaskListResponse: {
            /** @description Tasks of this page */
            tasks: components["schemas"]["TaskSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
        };
        TaskSetCreateRequest: {
            /** @description Description for people */
            description?: string | null;
            /** @description In this order; none twice */
            members: (string | components["schemas"]["TaskSetMemberRequest"])[];
            /** @description Where it comes from */
            source?: string | null;
            /** @description Tags */
            tags?: string[] | null;
            /** @description Name */
            name: string;
            /** @description Whether every signed-in user of this server may read it */
            is_public?: boolean | null;
        };
        TaskSetDetail: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /** @description Where it comes from */
            source: string | null;
            /** @description Tags */
            tags: string[] | null;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /** @description How many members there are */
            member_count: number;
            /** @description Id of the organization */
            organization_id: string | null;
            /** @description Slug of the organization */
            org_key: string | null;
            /** @description null for users who are not members of the organization */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
            /** @description Members, in their order */
            members: components["schemas"]["TaskSetMember"][];
            /** @description How many members name no task that can be read */
            unresolvable_count: number;
            /** @description Whether the task of every member is public */
            publicly_runnable: boolean;
            /** @description The members of a public set that others cannot run */
            warnings: string[];
        };
        TaskSetListResponse: {
            /** @description Task sets of this page */
            task_sets: components["schemas"]["TaskSetSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
        };
        TaskSetMember: {
            /** @description Name of the task */
            task_name: string;
            /** @description As it was given; null: the newest release */
            task_version: string | null;
            /** @description What that is now, for the caller */
            resolved_version: string | null;
            /** @description The same as task_version */
            task_version_pinned: string | null;
            /** @description The same as resolved_version */
            task_version_resolved: string | null;
            /** @description Whether the task is public */
            publicly_runnable: boolean;
            /** @description Notes of people */
            notes: string | null;
            /** @description Why the member names no task that can be read */
            unresolvable_reason: ("not_found" | "version_not_found") | null;
        };
        TaskSetMemberRequest: {
            /** @description `name`, in the organization of the set, or `org/name` */
            task_name: string;
            /** @description Omitted: the newest release, whenever the set is read */
            task_version?: string | null;
            /** @description Notes of people */
            notes?: string | null;
        };
        TaskSetReplaceRequest: {
            /** @description Description for people */
            description?: string | null;
            /** @description In this order; none twice */
            members: (string | components["schemas"]["TaskSetMemberRequest"])[];
            /** @description Where it comes from */
            source?: string | null;
            /** @description Tags */
            tags?: string[] | null;
        };
        TaskSetSummary: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /** @description Where it comes from */
            source: string | null;
            /** @description Tags */
            tags: string[] | null;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /** @description How many members there are */
            member_count: number;
            /** @description Id of the organization */
            organization_id: string | null;
            /** @description Slug of the organization */
            org_key: string | null;
            /** @description null for users who are not members of the organization */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        TaskSetVisibilityResponse: {
            /** @description The new state */
            is_public: boolean;
            /** @description Message */
            message: string;
            /** @description The members of a public set that others cannot run */
            warnings: string[];
        };
        TaskSummary: {
            /**
             * Format: uuid
             * @description Of this version
             */
            id: string;
            /** @description With the key of its organization: `org/name` */
            name: string;
            /** @description Version */
            version: string;
            /** @description Summary in one sentence */
            summary: string | null;
            /** @description Tags */
            tags: string[] | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description How often it was downloaded */
            download_count: number;
            /** @description Whether every signed-in user of this server may read it */
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            /** @description How many versions there are */
            version_count: number;
            /** @description Difficulty */
            difficulty: string | null;
            /** @description Where it comes from */
            source: string | null;
            /** @description How a solution is verified */
            verification_method: string | null;
            /** @description Whether the task comes with a solution */
            has_solution: boolean;
            /** @description Time limit in seconds */
            timeout_seconds: number | null;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
        };
        TeamEntry: {
            /**
             * Format: uuid
             * @description Id of the organization
             */
            team_id: string;
            /** @description Name of the organization */
            team_name: string;
            /**
             * @description An admin is a member with is_admin
             * @enum {string}
             */
            role: "owner" | "member";
            /** @description Id of the organization; null for none */
            org_id: string | null;
            /** @description Name of the organization */
            org_name: string | null;
            /** @description Id of the membership */
            member_id: string | null;
            /** @description Whether the user administers the organization */
            is_admin: boolean | null;
            /** @description Whether the user owns the organization */
            is_owner: boolean | null;
        };
        ToolCall: {
            /** @description Id */
            id: string;
            /** @description Name */
            name: string;
            /** @description What the model wrote: JSON, as a rule */
            arguments: string;
        };
        TraceListResponse: {
            /** @description Traces of this page */
            traces: components["schemas"]["TraceSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            limit: number;
            /** @description How many pages there are; 0 when there are no entries */
            total_pages: number;
            /** @description Whether there is a next page */
            has_next: boolean;
            /** @description Whether there is a previous page */
            has_previous: boolean;
            /** @description Whether `total` is exact; else there are more */
            total_is_exact: boolean;
        };
        TraceStats: {
            /** @description 32 hexadecimal digits */
            trace_id: string;
            /** @description How many spans there are */
            span_count: number;
            /** @description How many failed */
            error_count: number;
            /** @description From the beginning of its first span to the end of its last */
            duration_ms: number;
            /** @description Cached ones included */
            input_tokens: number;
            /** @description Tokens that the models generated */
            output_tokens: number;
            /** @description Of input_tokens: read from a cache */
            cache_read_input_tokens: number;
            /** @description Of input_tokens: written to a cache */
            cache_creation_input_tokens: number;
            /** @description US dollars; null when something with tokens has no known cost */
            cost_usd: number | null;
            /** @description Figures of each type of span */
            by_type: {
                /**
                 * @description Type of the span
                 * @enum {string}
                 */
                span_type: "span" | "llm" | "agent" | "tool" | "chain" | "retriever" | "embedding" | "reranker" | "guardrail" | "evaluator" | "prompt" | "task" | "evaluation" | "study" | "trial" | "sample" | "transform";
                /** @description How many spans there are */
                span_count: number;
                /** @description How many failed */
                error_count: number;
                /** @description Of each span by itself, whether or not others ran meanwhile */
                total_duration_ms: number;
                /** @description Shortest duration, in milliseconds */
                min_duration_ms: number;
                /** @description Median of the durations, in milliseconds */
                p50_duration_ms: number;
                /** @description 95th percentile of the durations, in milliseconds */
                p95_duration_ms: number;
                /** @description Longest duration, in milliseconds */
                max_duration_ms: number;
                /** @description Cached ones included */
                input_tokens: number;
                /** @description Tokens that the models generated */
                output_tokens: number;
                /** @description Of input_tokens: read from a cache */
                cache_read_input_tokens: number;
                /** @description Of input_tokens: written to a cache */
                cache_creation_input_tokens: number;
                /** @description US dollars; null when something with tokens has no known cost */
                cost_usd: number | null;
            }[];
            /** @description Figures of each model */
            by_model: {
                /** @description Name of the model */
                model: string;
                /** @description How many spans there are */
                span_count: number;
                /** @description How many failed */
                error_count: number;
                /** @description Cached ones included */
                input_tokens: number;
                /** @description Tokens that the models generated */
                output_tokens: number;
                /** @description Of input_tokens: read from a cache */
                cache_read_input_tokens: number;
                /** @description Of input_tokens: written to a cache */
                cache_creation_input_tokens: number;
                /** @description US dollars; null when something with tokens has no known cost */
                cost_usd: number | null;
            }[];
        };
        TraceSummary: {
            /** @description 32 hexadecimal digits */
            trace_id: string;
            /** @description Of its root: the first span without a parent, or else the first. Its first 1,000 characters */
            name: string;
            /** @description Of its root */
            service_name: string | null;
            /** @description 16 hexadecimal digits */
            root_span_id: string;
            /** @description Of projects that its spans name */
            project_ids: string[];
            /** @description Of sessions that its spans belong to */
            session_ids: string[];
            /**
             * @description `error` when a span has one
             * @enum {string}
             */
            status: "ok" | "error";
            /**
             * Format: date-time
             * @description When its first span began
             */
            start_time: string;
            /**
             * Format: date-time
             * @description When its last span ended
             */
            end_time: string;
            /** @description Between the two, to the microsecond */
            duration_ms: number;
            /** @description How many spans there are */
            span_count: number;
            /** @description Spans with the status `error` */
            error_count: number;
            /** @description Types of span that the trace has */
            span_types: ("span" | "llm" | "agent" | "tool" | "chain" | "retriever" | "embedding" | "reranker" | "guardrail" | "evaluator" | "prompt" | "task" | "evaluation" | "study" | "trial" | "sample" | "transform")[];
            /** @description By name; at most fifty of a session */
            models: string[];
            /** @description Cached ones included */
            input_tokens: number;
            /** @description Tokens that the models generated */
            output_tokens: number;
            /** @description Of input_tokens: read from a cache */
            cache_read_input_tokens: number;
            /** @description Of input_tokens: written to a cache */
            cache_creation_input_tokens: number;
            /** @description US dollars; null when something with tokens has no known cost */
            cost_usd: number | null;
        };
        TrainingArtifactsResponse: {
            /** @description Artifacts */
            artifacts: {
                /** @description The version published at the end of the job */
                model: {
                    /** @description Name of the model */
                    model: string;
                    /** @description Version */
                    version: string;
                    /** @description Step of the training or of the optimization */
                    step: number;
                    /** @description Whether it is the last one */
                    is_final: boolean;
                    /** @description When it was published; null while it is not */
                    published_at: string | null;
                } | null;
                /** @description Where it was published */
                published: {
                    /** @description Name of the model */
                    model: string;
                    /** @description Version */
                    version: string;
                    /** @description Step of the training or of the optimization */
                    step: number;
                    /** @description Whether it is the last one */
                    is_final: boolean;
                    /** @description When it was published; null while it is not */
                    published_at: string | null;
                }[];
                /** @description Checkpoints, newest first */
                checkpoints: {
                    /** @description Step of the training or of the optimization */
                    step: number;
                    /** @description Size in bytes */
                    size_bytes: number;
                    /** @description Digest of the content, in hexadecimal */
                    digest: string;
                }[];
                /** @description Sources of the model */
                lineage: {
                    [key: string]: unknown;
                };
            };
        };
        TrainingBackendsResponse: {
            /** @description Training backends */
            backends: {
                /** @description Training backend */
                backend: string;
                /** @description Kinds of training */
                trainer_types: string[];
                /** @description Engine that trains */
                engine: string | null;
                /** @description Whether a trainer has asked for jobs within the last minute, or is started when a job is queued */
                available: boolean;
                /** @description Why it is not available, and what to do */
                reason: string | null;
            }[];
            /** @description Trainers that have polled for jobs */
            workers: {
                /** @description Name */
                name: string;
                /** @description Engines that can train */
                engines: string[];
                /** @description Resources */
                resources: {
                    [key: string]: unknown;
                };
                /**
                 * Format: date-time
                 * @description Time of the last poll of the trainer
                 */
                seen_at: string;
                /** @description Id of the job */
                job_id: string | null;
            }[];
            /** @description Trainer on the machine of the server */
            local_trainer: {
                /** @description Whether its packages are installed */
                installed: boolean;
                /** @description What is wrong, and what to do */
                detail: string;
            };
            /** @description How many jobs wait for a trainer */
            queued_jobs: number;
        };
        TrainingCancelRequestedEvent: {
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description Name of the worker */
            worker: string | null;
            /** @description Number of the attempt, from 1 */
            attempt: number;
        };
        TrainingCancelledEvent: Record<string, never>;
        TrainingCatalogResponse: {
            /** @description Models */
            models: {
                /** @description For `model` of a job */
                name: string;
                /** @description Version */
                version: string;
                /** @description Summary in one sentence */
                summary: string | null;
                /** @description Architecture of the model */
                architecture: string | null;
                /** @description Size in bytes */
                size_bytes: number;
                /** @description Training backends */
                backends: string[];
                /** @description Kinds of training */
                trainer_types: string[];
            }[];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description Maximum number of entries per page */
            limit: number;
        };
        TrainingCheckpointEvent: {
            /** @description Step of the training or of the optimization */
            step: number;
            /** @description Figures by name */
            metrics: {
                [key: string]: number;
            };
        };
        TrainingCheckpointRequest: {
            /** @description Number of the attempt, from 1 */
            attempt: number;
            /** @description Step of the training or of the optimization */
            step: number;
            /** @description Files */
            files: {
                /** @description Path below the root */
                path: string;
                /** @description Size in bytes */
                size_bytes: number;
                /** @description SHA-256 of the content, in hexadecimal */
                sha256: string;
            }[];
        };
        TrainingCheckpointUploads: {
            /** @description Files */
            files: {
                /** @description Path below the root */
                path: string;
                /** @description Parts of the file, in their order */
                parts: {
                    /** @description Offset in bytes */
                    offset: number;
                    /** @description Size in bytes */
                    size_bytes: number;
                    /** @description Address */
                    url: string;
                }[];
            }[];
        };
        TrainingCheckpointsResponse: {
            /** @description The entries of this page */
            items: {
                /** @description Step of the training or of the optimization */
                step: number;
                /** @description Number of the attempt, from 1 */
                attempt: number;
                /** @description Figures by name */
                metrics: {
                    [key: string]: number;
                };
                /** @description Size in bytes */
                size_bytes: number;
                /** @description Over the paths and digests of its files */
                digest: string;
                /** @description It holds an adapter, so that it can be published */
                servable: boolean;
                /** @description Where it was published */
                published: {
                    /** @description Name of the model */
                    model: string;
                    /** @description Version */
                    version: string;
                    /** @description Step of the training or of the optimization */
                    step: number;
                    /** @description Whether it is the last one */
                    is_final: boolean;
                    /** @description When it was published; null while it is not */
                    published_at: string | null;
                }[];
                /**
                 * Format: date-time
                 * @description When it was created
                 */
                created_at: string;
            }[];
        };
        TrainingClaimRequest: {
            /** @description A name of the trainer that is unique in the workspace */
            worker: string;
            /** @description Engines that can train */
            engines: string[];
            /**
             * @description Version of the protocol of trainers
             * @constant
             */
            protocol: 1;
            /**
             * @description How long to wait for a job
             * @default 20
             */
            wait_seconds?: number;
            /**
             * @description Device, memory, versions of libraries
             * @default {}
             */
            resources?: {
                [key: string]: unknown;
            };
        };
        TrainingClaimResponse: {
            /** @description null: none waited */
            job: {
                /**
                 * Format: uuid
                 * @description Id
                 */
                id: string;
                /** @description Number of the attempt, from 1 */
                attempt: number;
                /** @description Name */
                name: string | null;
                /** @description Training backend */
                backend: string;
                /** @description Kind of training */
                trainer_type: string;
                /** @description Engine that trains */
                engine: string;
                /** @description How long the job belongs to the trainer */
                lease: {
                    /** @description Seconds */
                    seconds: number;
                };
                /** @description Capability, by name, or by name and version */
                capability: {
                    /** @description Name */
                    name: string;
                    /** @description Version */
                    version: string;
                    /** @description For every example without a system message */
                    system_prompt: string | null;
                };
                /** @description Configuration */
                config: {
                    [key: string]: unknown;
                };
                /** @description Model that is trained */
                model: {
                    /** @description Reference of the file */
                    reference: string;
                    /** @description null: not in the registry; the trainer decides whether it has it */
                    files: components["schemas"]["TrainingFileLink"][] | null;
                };
                /** @description Datasets */
                datasets: {
                    /**
                     * @description Role
                     * @enum {string}
                     */
                    role: "train" | "eval" | "trajectories";
                    /** @description Name */
                    name: string;
                    /** @description Version */
                    version: string;
                    /** @description Split of the dataset */
                    split: string;
                    /**
                     * @description Format
                     * @enum {string}
                     */
                    format: "jsonl" | "csv" | "parquet";
                    /** @description How many rows it has */
                    row_count: number;
                    file: components["schemas"]["TrainingFileLink"];
                }[];
                /** @description Where to continue */
                checkpoint: {
                    /** @description Step of the training or of the optimization */
                    step: number;
                    /** @description Files */
                    files: {
                        /** @description Path below the root */
                        path: string;
                        /** @description Size in bytes */
                        size_bytes: number;
                        /** @description SHA-256 of the content, in hexadecimal */
                        sha256: string;
                        /** @description Parts of the file, in their order */
                        parts: {
                            /** @description Size in bytes */
                            size_bytes: number;
                            /** @description Address */
                            url: string;
                        }[];
                    }[];
                } | null;
            } | null;
        };
        TrainingClaimedEvent: {
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description Name of the worker */
            worker: string | null;
            /** @description Number of the attempt, from 1 */
            attempt: number;
        };
        TrainingConfigRequest: {
            /** @description Rows of `messages` (with `tools`), of `prompt` and `completion`, or of `text` */
            dataset_ref?: components["schemas"]["TrainingDatasetRef"] | null;
            /** @description Datasets of trajectories, in the formats ATIF or OpenAI */
            trajectory_dataset_refs?: components["schemas"]["TrainingDatasetRef"][] | null;
            /** @description Its loss is measured at every checkpoint */
            eval_dataset_ref?: components["schemas"]["TrainingDatasetRef"] | null;
            /** @description 3 by default */
            epochs?: number | null;
            /** @description Caps the epochs */
            steps?: number | null;
            /** @description Examples for a step, 4 by default; the trainer divides it as its memory allows */
            batch_size?: number | null;
            /** @description Multiplies the batch, 1 by default */
            gradient_accumulation_steps?: number | null;
            /** @description 2e-4 by default */
            learning_rate?: number | null;
            /** @description Maximum tokens of an example, 2048 by default; the rest is truncated and counted */
            max_sequence_length?: number | null;
            /** @description 16 by default */
            lora_rank?: number | null;
            /** @description Twice the rank by default */
            lora_alpha?: number | null;
            /** @description Steps; by default a checkpoint is saved once an epoch */
            checkpoint_interval?: number | null;
            /** @description 0 by default */
            seed?: number | null;
            /** @description Join short examples to sequences of the full length */
            packing?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        TrainingDatasetRef: {
            /** @description `name`, or `org/name` of a public dataset */
            name: string;
            /** @description Version */
            version: string;
            /** @description `train`, or `validation` for the evaluation, where there are several */
            split?: string | null;
        };
        TrainingEndEvent: {
            /** @description Step of the training or of the optimization */
            step: number;
            /** @description Step of the checkpoint */
            checkpoint_step: number;
            /** @description Figures by name */
            metrics: {
                [key: string]: number;
            };
        };
        TrainingErrorEvent: {
            /** @description Kind */
            kind: string;
            /** @description Invalid field of the configuration */
            field?: string | null;
            /** @description Message */
            message: string;
        };
        TrainingEstimateResponse: {
            /** @description Rows of all datasets that are trained on */
            examples: number;
            /** @description Of one epoch, about: a token for every four characters */
            tokens: number;
            /** @description How many steps the training has */
            steps: number;
            /** @description Rows that are probably longer than max_sequence_length */
            truncated_examples: number;
            /** @description The longest rows, which are cut or skipped */
            longest_rows: {
                /** @description Dataset */
                dataset: string;
                /** @description Number of the row, from 0 */
                row: number;
                /** @description How many tokens it has */
                tokens: number;
            }[];
            /** @description Approximate memory that a trainer needs; null for a model that is not in the registry */
            memory_bytes: number | null;
            /** @description The figures of larger datasets are extrapolated from these rows */
            rows_read: number;
            /** @description Configuration with all defaults */
            effective_config: {
                [key: string]: unknown;
            };
        };
        TrainingEvaluationEvent: {
            /** @description Step of the training or of the optimization */
            step: number;
            /** @description Figures by name */
            metrics: {
                [key: string]: number;
            };
        };
        TrainingFileLink: {
            /** @description Path below the root */
            path: string;
            /** @description Size in bytes */
            size_bytes: number;
            /** @description SHA-256 of the content, in hexadecimal */
            sha256: string;
            /** @description Address */
            url: string;
        };
        TrainingFilesRequest: {
            /** @description Number of the attempt, from 1 */
            attempt: number;
        };
        TrainingFilesResponse: {
            /** @description Model that is trained */
            model: {
                /** @description Reference of the file */
                reference: string;
                /** @description null: not in the registry; the trainer decides whether it has it */
                files: components["schemas"]["TrainingFileLink"][] | null;
            };
            /** @description Datasets */
            datasets: {
                /**
                 * @description Role
                 * @enum {string}
                 */
                role: "train" | "eval" | "trajectories";
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Split of the dataset */
                split: string;
                /**
                 * @description Format
                 * @enum {string}
                 */
                format: "jsonl" | "csv" | "parquet";
                /** @description How many rows it has */
                row_count: number;
                file: components["schemas"]["TrainingFileLink"];
            }[];
            /** @description Where to continue */
            checkpoint: {
                /** @description Step of the training or of the optimization */
                step: number;
                /** @description Files */
                files: {
                    /** @description Path below the root */
                    path: string;
                    /** @description Size in bytes */
                    size_bytes: number;
                    /** @description SHA-256 of the content, in hexadecimal */
                    sha256: string;
                    /** @description Parts of the file, in their order */
                    parts: {
                        /** @description Size in bytes */
                        size_bytes: number;
                        /** @description Address */
                        url: string;
                    }[];
                }[];
            } | null;
        };
        TrainingJobCreateRequest: {
            /** @description The model version that the job publishes is named for it */
            name?: string | null;
            /**
             * @description `tinker` is an alias of `hosted_a`, `ray` of `hosted_b`
             * @default hosted_a
             * @enum {string}
             */
            backend?: "hosted_a" | "hosted_b" | "tinker" | "ray";
            /**
             * @description Kind of training
             * @default sft
             * @enum {string}
             */
            trainer_type?: "sft" | "rl";
            /** @description `org/name@version` of the registry, or a name that a trainer knows */
            model: string;
            /** @description Capability, by name and version */
            capability_ref: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
            };
            config: components["schemas"]["TrainingConfigRequest"];
            /** @description Key or id of a project */
            project_ref?: string | null;
            /** @description Display name of the run */
            run_ref?: string | null;
            /** @description Tags */
            tags?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        TrainingJobEndedEvent: {
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description Why it failed; null where it did not */
            error: string | null;
        };
        TrainingJobListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["TrainingJobResponse"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description 1-indexed */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        TrainingJobResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the organization
             */
            organization_id: string;
            /**
             * Format: uuid
             * @description Id of the workspace; null for none
             */
            workspace_id: string;
            /** @description Name */
            name: string | null;
            /** @description `hosted_a` */
            backend: string;
            /**
             * @description Kind of training
             * @enum {string}
             */
            trainer_type: "sft" | "rl";
            /** @description Algorithm of the training */
            algorithm: ("grpo" | "importance_sampling" | "ppo") | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description Name of the model */
            model: string;
            /** @description Capability, by name, or by name and version */
            capability: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Id of the artifact */
                artifact_id: string | null;
                /** @description Digest of the configuration of the runtime */
                runtime_digest: string | null;
            };
            /** @description As it was sent */
            config: {
                [key: string]: unknown;
            };
            /** @description Dataset, by name and version */
            dataset_ref: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Split of the dataset */
                split?: string | null;
            } | null;
            /** @description Dataset of prompts, by name and version */
            prompt_dataset_ref: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Split of the dataset */
                split?: string | null;
            } | null;
            /** @description Datasets of trajectories, by name and version */
            trajectory_dataset_refs: {
                /** @description Name */
                name: string;
                /** @description Version */
                version: string;
                /** @description Split of the dataset */
                split?: string | null;
            }[];
            /** @description `effective_config`, figures, and curves of at most 500 points; lists have no curves */
            metrics: {
                [key: string]: unknown;
            };
            /** @description `model`: the version published at the end of the job; `published`: all versions */
            artifacts: {
                [key: string]: unknown;
            };
            /** @description Project, as id or key */
            project_ref: string | null;
            /** @description Display name of the run */
            run_ref: string | null;
            /** @description Task, as name or name@version */
            task_ref: string | null;
            /** @description Tags */
            tags: string[];
            /** @description Id of the job that this one repeats */
            retry_of: string | null;
            /** @description The trainer that has, or had, the job */
            worker: string | null;
            /** @description How often a trainer has claimed it */
            attempt: number;
            /** @description The last step that was reported */
            step: number;
            /** @description Why it failed; null where it did not */
            error: string | null;
            /** @description Why no trainer gets the job while it is queued */
            waiting_reason: string | null;
            /** @description Time of the cancellation request */
            cancel_requested_at: string | null;
            /** @description When it began to run; null while it has not */
            started_at: string | null;
            /** @description When it ended; null while it has not */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /** @description User that created it */
            created_by: string | null;
            /** @description E-mail address of the user who created it */
            created_by_email: string | null;
            created_by_user: components["schemas"]["UserIdentity"] | null;
        };
        TrainingLogsResponse: {
            /** @description The entries of this page */
            items: {
                /**
                 * Format: uuid
                 * @description Id
                 */
                id: string;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Level
                 * @enum {string}
                 */
                level: "debug" | "info" | "warning" | "error";
                /** @description Message */
                message: string;
                /** @description Data */
                data: {
                    [key: string]: unknown;
                } | null;
            }[];
        };
        TrainingMetricsResponse: {
            /** @description Values of each figure, by step */
            series: {
                [key: string]: {
                    /** @description Steps */
                    steps: number[];
                    /** @description Values */
                    values: number[];
                    /** @description Points that are stored */
                    total: number;
                };
            };
        };
        TrainingProgressRequest: {
            /** @description Number of the attempt, from 1 */
            attempt: number;
            /** @description What the trainer reports */
            records: (({
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Type
                 * @constant
                 */
                type: "training_start";
                /** @description Step of the training or of the optimization */
                step: number;
                /** @description How many steps the training has */
                total_steps: number;
                /** @description How many examples there are */
                num_examples: number;
                /** @description How many tokens there are */
                num_tokens: number;
                /**
                 * @description How many examples were cut to the longest length
                 * @default 0
                 */
                truncated_examples?: number;
                /**
                 * @description How many examples were left out
                 * @default 0
                 */
                skipped_examples?: number;
                /**
                 * @description Engine that trains
                 * @default {}
                 */
                engine?: {
                    [key: string]: unknown;
                };
                /**
                 * @description Versions of the libraries of the trainer
                 * @default {}
                 */
                libraries?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            }) | {
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Type
                 * @constant
                 */
                type: "step_complete";
                /** @description Step of the training or of the optimization */
                step: number;
                /** @description Epoch, with its fraction */
                epoch: number;
                /** @description Tokens that were trained on so far */
                num_tokens_processed: number;
                /** @description Figures by name */
                metrics: {
                    [key: string]: number;
                };
            } | {
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Type
                 * @constant
                 */
                type: "eval_complete";
                /** @description Step of the training or of the optimization */
                step: number;
                /** @description Figures by name */
                metrics: {
                    [key: string]: number;
                };
            } | {
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Type
                 * @constant
                 */
                type: "checkpoint_saved";
                /** @description Step of the training or of the optimization */
                step: number;
                /**
                 * @description Figures by name
                 * @default {}
                 */
                metrics?: {
                    [key: string]: number;
                };
            } | {
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Type
                 * @constant
                 */
                type: "log";
                /**
                 * @description Level
                 * @enum {string}
                 */
                level: "debug" | "info" | "warning" | "error";
                /** @description Message */
                message: string;
                /** @description Data */
                data?: {
                    [key: string]: unknown;
                } | null;
            } | {
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Type
                 * @constant
                 */
                type: "training_error";
                /**
                 * @description Kind
                 * @enum {string}
                 */
                kind: "refused" | "bad_data" | "out_of_memory" | "nan_loss" | "disk_full" | "error";
                /** @description Invalid field of the configuration */
                field?: string | null;
                /** @description Message */
                message: string;
            } | {
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Type
                 * @constant
                 */
                type: "training_end";
                /** @description Step of the training or of the optimization */
                step: number;
                /** @description Step of the checkpoint */
                checkpoint_step: number;
                /**
                 * @description Figures by name
                 * @default {}
                 */
                metrics?: {
                    [key: string]: number;
                };
            } | {
                /** @description Number in the order of the list, from 1 */
                seq: number;
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                timestamp: string;
                /**
                 * @description Type
                 * @constant
                 */
                type: "cancelled";
            })[];
        };
        TrainingProgressResponse: {
            /**
             * @description What the trainer has to do next
             * @enum {string}
             */
            action: "continue" | "cancel";
            /** @description Records before it are stored */
            next_seq: number;
            /** @description How long the job belongs to the trainer */
            lease: {
                /** @description Seconds */
                seconds: number;
            };
        };
        TrainingRolloutsResponse: {
            /** @description The entries of this page */
            items: {
                /** @description Step of the training or of the optimization */
                step: number;
                /**
                 * Format: uuid
                 * @description Id of the session
                 */
                session_id: string;
                /** @description Reward of the rollout */
                reward: number | null;
            }[];
        };
        TrainingStartEvent: {
            /** @description Step of the training or of the optimization */
            step: number;
            /** @description How many steps the training has */
            total_steps: number;
            /** @description How many examples there are */
            num_examples: number;
            /** @description How many tokens there are */
            num_tokens: number;
        } & {
            [key: string]: unknown;
        };
        TrainingStepEvent: {
            /** @description Step of the training or of the optimization */
            step: number;
            /** @description Epoch, with its fraction */
            epoch: number;
            /** @description Tokens that were trained on so far */
            num_tokens_processed: number;
            /** @description Figures by name */
            metrics: {
                [key: string]: number;
            };
        };
        TrainingWorkerLostEvent: {
            /**
             * @description State
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description Name of the worker */
            worker: string | null;
            /** @description Number of the attempt, from 1 */
            attempt: number;
        };
        TranscriptAppendRequest: {
            /** @description Messages, in their order */
            messages: components["schemas"]["Message"][];
            context?: components["schemas"]["TranscriptContext"] | null;
        };
        TranscriptAppendResponse: {
            session: components["schemas"]["SessionResponse"];
            /** @description In the order in which they were given, known ones too */
            messages: {
                /** @description Id */
                id: string;
                /** @description Number in the order of the list, from 1 */
                seq: number;
            }[];
        };
        TranscriptCompactRequest: {
            /** @description The last message that the summary stands for */
            up_to_seq: number;
            summary: components["schemas"]["Message"];
        };
        TranscriptCompactResponse: {
            session: components["schemas"]["SessionResponse"];
            /** @description Message that replaces the compacted ones */
            summary: {
                /** @description Id */
                id: string;
                /** @description Number in the order of the list, from 1 */
                seq: number;
            };
            /** @description The one that begins */
            era: number;
        };
        TranscriptContext: {
            /** @description Name of the model */
            model: string;
            /** @description Absent keeps, null clears; so for the others */
            agent?: string | null;
            /** @description In effect from the first of the new messages */
            system_prompt?: string | null;
            /** @description Definitions of the tools that the agent has */
            tools?: {
                [key: string]: unknown;
            }[] | null;
        };
        TranscriptResponse: {
            session: components["schemas"]["SessionResponse"];
            /** @description At most limit, and fewer where they are large */
            messages: components["schemas"]["StoredMessage"][];
            /** @description System prompt that is in force */
            current_system_prompt: string | null;
            /** @description Whether there are more entries */
            has_more: boolean;
        };
        TransformPreviewRequest: {
            /** @description Text */
            text: string;
            /** @description Parameters */
            params?: {
                [key: string]: unknown;
            } | null;
        };
        TransformPreviewResponse: {
            /** @description Text */
            text: string;
        };
        TrialEvidence: {
            /** @description From 1, by score */
            rank: number;
            /** @description Prompt before the transforms */
            candidate: string;
            /** @description Prompt as it was sent, after the transforms */
            transformed_prompt: string;
            /** @description Response of the target */
            response: string;
            /** @description Why the judge decided as it did */
            judge_reasoning: string;
            /** @description Number of the trial, from 0 */
            trial_index: number;
            /** @description How the trial ended */
            trial_status: string;
            /** @description Score */
            score: number;
            /** @description Whether the target did what it must not do */
            is_jailbreak: boolean;
            /** @description How long it ran, in seconds */
            execution_time_s: number;
            /** @description Id of the span */
            span_id: string;
        };
        TrialListResponse: {
            /** @description The entries of this page */
            items: components["schemas"]["AirtTrial"][];
            /** @description How many entries there are on all pages */
            total: number;
            /** @description Number of this page, from 1 */
            page: number;
            /** @description Maximum number of entries per page */
            page_size: number;
        };
        UpdateAssessmentRequest: {
            /** @description Name */
            name?: string | null;
            /** @description Description for people */
            description?: string | null;
            /** @description State */
            status?: ("running" | "completed" | "failed") | null;
        };
        UpdateCapabilityBindingRequest: {
            /** @description Whether it is shown in the sandbox */
            enabled?: boolean | null;
            /** @description Those to set; the others stay as they are */
            flags?: {
                [key: string]: boolean;
            } | null;
            /** @description Flags that it does not have are forgotten */
            version?: string | null;
        };
        UpdateFindingRequest: {
            /** @description What was decided about the finding */
            finding_status?: ("open" | "false_positive" | "accepted_risk" | "remediated" | "incorrect_scoring") | null;
            /** @description What the finding is */
            finding_type?: ("jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust") | null;
            /** @description Severity */
            severity?: ("critical" | "high" | "medium" | "low" | "info") | null;
            /** @description The reasoning of the review event */
            notes?: string | null;
        };
        UpdateVisibilityRequest: {
            /** @description Of all versions */
            is_public: boolean;
        };
        UpdateVisibilityResponse: {
            /** @description The new state */
            is_public: boolean;
            /** @description Message */
            message: string;
        };
        UserFacetEntry: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Username */
            username: string;
            /** @description E-mail address */
            email: string;
            /** @description Full name */
            full_name: string | null;
            /** @description How many there are */
            count: number;
        };
        UserIdentity: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Username */
            username: string;
            /** @description E-mail address */
            email: string;
            /** @description Full name */
            full_name: string | null;
        };
        UserLimits: {
            /**
             * Format: uuid
             * @description Id of the user
             */
            user_id: string;
            /** @description Bytes: the most used quota of the organizations below */
            storage?: {
                /** @description How much is used */
                used: number;
                /** @description Most that may be used; null without a limit */
                limit: number | null;
            } | null;
            /** @description Bytes that each organization of the user stores, by kind */
            organizations?: {
                /** @description How much is used */
                used: number;
                /** @description Most that may be used; null without a limit */
                limit: number | null;
                /**
                 * Format: uuid
                 * @description Id of the organization; null for none
                 */
                org_id: string;
                /**
                 * @description Kind
                 * @enum {string}
                 */
                kind: "objects" | "registry" | "runtimes" | "spans";
            }[] | null;
            /** @description Hours of sandboxes, where they are limited */
            tracked_hours?: {
                /** @description How much is used */
                used: number;
                /** @description Most that may be used; null without a limit */
                limit: number | null;
            } | null;
            /** @description Whether a limit is nearly reached */
            has_warnings: boolean;
            /** @description Whether a limit is exceeded */
            has_exceeded: boolean;
            /**
             * Format: date-time
             * @description When the limits were checked
             */
            checked_at: string;
        };
        UserResponse: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Username */
            username: string;
            /** @description E-mail address */
            email_address: string;
            /** @description Whether the user opted in to product email */
            email_opt_in: boolean;
            /** @description Whether the onboarding is done */
            onboarding_complete: boolean;
            /** @description Whether the user administers this server */
            is_platform_admin: boolean;
            /** @description Features that are switched on for the user */
            features: string[] | null;
            /** @description First name */
            first_name: string | null;
            /** @description Last name */
            last_name: string | null;
            /** @description Full name */
            full_name: string | null;
            /** @description Groups of the user */
            groups: {
                /**
                 * Format: uuid
                 * @description Id
                 */
                id: string;
                /** @description Name */
                name: string;
            }[] | null;
            /** @description One entry per organization */
            teams: components["schemas"]["TeamEntry"][] | null;
            limits: components["schemas"]["UserLimits"] | null;
        };
        UserUpdateRequest: {
            /** @description Username */
            username?: string;
            /** @description First name */
            first_name?: string | null;
            /** @description Last name */
            last_name?: string | null;
            /** @description Whether the user agrees to e-mails */
            email_opt_in?: boolean;
            /** @description A new password; ends all other logins */
            password?: string;
            /** @description Needed with a new password */
            current_password?: string;
        };
        ValidationErrorItem: {
            /** @description Where it failed, starting with body, query, path or header */
            loc: (string | number)[];
            /** @description What is wrong, in words */
            msg: string;
            /** @description Machine-readable validation error type */
            type: string;
        };
        Workspace: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /** @description Key: a slug that is unique where it is used */
            key: string;
            /** @description Name */
            name: string;
            /** @description Description for people */
            description: string | null;
            /**
             * Format: uuid
             * @description Id of the organization; null for none
             */
            org_id: string;
            /** @description Whether it is used where none is named */
            is_default: boolean;
            /** @description Seen only by its listed members and the admins of the organization */
            is_restricted: boolean;
            /** @description Whether recorded model calls keep prompts and responses, or only roles, tools, usage and cost */
            record_content: boolean;
            /** @description How many projects the workspace has */
            project_count: number;
            /**
             * Format: uuid
             * @description User that created it
             */
            created_by: string;
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updated_at: string;
        };
        WorkspaceCreateRequest: {
            /** @description Name */
            name: string;
            /** @description Derived from the name by default */
            key?: string;
            /** @description Description for people */
            description?: string | null;
            /**
             * @description Whether only the members that are listed see the workspace
             * @default false
             */
            is_restricted?: boolean;
            /**
             * @description Whether gateway calls store their messages
             * @default true
             */
            record_content?: boolean;
        };
        WorkspaceMember: {
            /**
             * Format: uuid
             * @description Id of the user
             */
            user_id: string;
            /**
             * @description Role
             * @enum {string}
             */
            role: "admin" | "contributor" | "reader";
            user: components["schemas"]["UserIdentity"];
            /**
             * Format: date-time
             * @description When it was created
             */
            created_at: string;
        };
        WorkspaceMemberRequest: {
            /**
             * @description Role
             * @enum {string}
             */
            role: "admin" | "contributor" | "reader";
        };
        WorkspaceUpdateRequest: {
            /** @description Name */
            name?: string;
            /** @description Description for people */
            description?: string | null;
            /** @description Whether only the members that are listed see the workspace */
            is_restricted?: boolean;
            /** @description Whether gateway calls store their messages */
            record_content?: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResponse"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /**
                 * @description Kind
                 * @example optimization.run
                 */
                kind?: string;
                /**
                 * @description State
                 * @example queued
                 */
                state?: "queued" | "running" | "completed" | "failed";
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedJobPage"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email_address": "ada@example.com",
                 *       "password": "correct horse battery staple",
                 *       "username": "ada"
                 *     }
                 */
                "application/json": components["schemas"]["SignupRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResponse"];
                };
            };
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email_address": "owner@localhost",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResponse"];
                };
            };
        };
    };
    refreshLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "the refresh token of the login"
                 *     }
                 */
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefreshResponse"];
                };
            };
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "the refresh token of the login"
                 *     }
                 */
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogoutResponse"];
                };
            };
        };
    };
    signUpInBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email_address": "ada@example.com",
                 *       "password": "correct horse battery staple",
                 *       "username": "ada"
                 *     }
                 */
                "application/json": components["schemas"]["SignupRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserLogin"];
                };
            };
        };
    };
    logInInBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email_address": "owner@localhost",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserLogin"];
                };
            };
        };
    };
    refreshInBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserLogin"];
                };
            };
        };
    };
    logOutInBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogoutResponse"];
                };
            };
        };
    };
    createDeviceCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCode"];
                };
            };
        };
    };
    getDeviceCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Code that the device polls with
                 * @example the device code
                 */
                device_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCode"];
                };
            };
        };
    };
    exchangeDeviceCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "device_code": "the device code"
                 *     }
                 */
                "application/json": components["schemas"]["DeviceTokenRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceTokens"];
                };
            };
        };
    };
    approveDeviceCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_code": "BCDF-GHJK"
                 *     }
                 */
                "application/json": components["schemas"]["DeviceApprovalRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceApproval"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserResponse"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "first_name": "Ada",
                 *       "last_name": "Lovelace"
                 *     }
                 */
                "application/json": components["schemas"]["UserUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserResponse"];
                };
            };
        };
    };
    getUserLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserLimits"];
                };
            };
        };
    };
    completeOnboarding: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ada",
                 *       "email_opt_in": false,
                 *       "org_name": "Analytical Engines"
                 *     }
                 */
                "application/json": components["schemas"]["OnboardingRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserResponse"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ci",
                 *       "allowed_scopes": [
                 *         "datasets:read",
                 *         "evaluations:write"
                 *       ],
                 *       "expires_at": "2030-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
        };
    };
    listApiKeyScopes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopeEntry"][];
                };
            };
        };
    };
    deleteOwnApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSecrets: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 200
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretListResponse"];
                };
            };
        };
    };
    createSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "GITHUB_TOKEN",
                 *       "value": "the value of the secret"
                 *     }
                 */
                "application/json": components["schemas"]["SecretCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
        };
    };
    getSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
        };
    };
    replaceSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": "the new value of the secret"
                 *     }
                 */
                "application/json": components["schemas"]["SecretReplaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
        };
    };
    deleteSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"][];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Research",
                 *       "max_concurrent_sandboxes": 50
                 *     }
                 */
                "application/json": components["schemas"]["OrganizationUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /**
                 * @description Only what this user did
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                actor?: string;
                /**
                 * @description Exactly this action, such as member.added
                 * @example member.added
                 */
                action?: string;
                /**
                 * @description Exactly this resource, such as members/{user_id}
                 * @example members/01890a5d-ac96-774b-bcce-b302099a8057
                 */
                resource?: string;
                /**
                 * @description Inclusive
                 * @example 2026-01-31T12:00:00Z
                 */
                from?: string;
                /**
                 * @description Inclusive
                 * @example 2026-01-31T12:00:00Z
                 */
                to?: string;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLogPage"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"][];
                };
            };
        };
    };
    addMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user": "ada",
                 *       "role": "member"
                 *     }
                 */
                "application/json": components["schemas"]["MemberCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Id of the user
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Id of the user
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "admin"
                 *     }
                 */
                "application/json": components["schemas"]["MemberUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email_address": "ada@example.com",
                 *       "role": "member"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationCreated"];
                };
            };
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Id of the invitation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listWorkspaces: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"][];
                };
            };
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Experiments",
                 *       "key": "experiments",
                 *       "description": "Work that may be thrown away"
                 *     }
                 */
                "application/json": components["schemas"]["WorkspaceCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    deleteWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Work that is kept"
                 *     }
                 */
                "application/json": components["schemas"]["WorkspaceUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    listWorkspaceMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceMember"][];
                };
            };
        };
    };
    setWorkspaceMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the user
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "contributor"
                 *     }
                 */
                "application/json": components["schemas"]["WorkspaceMemberRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceMember"];
                };
            };
        };
    };
    removeWorkspaceMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the user
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "First project",
                 *       "key": "first-project"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Project key or uuid
                 * @example default
                 */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Project key or uuid
                 * @example default
                 */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Project key or uuid
                 * @example default
                 */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "What it is for"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    getStorageCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageCredentialsResponse"];
                };
            };
        };
    };
    listDatasets: {
        parameters: {
            query?: {
                /**
                 * @description Exact name, with or without its organization
                 * @example reviewer
                 */
                name?: string;
                /**
                 * @description Part of the name or the summary, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description With at least one of these
                 * @example [
                 *       "ci"
                 *     ]
                 */
                tags?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "apache-2.0"
                 *     ]
                 */
                license?: string[];
                /**
                 * @description With at least one of these
                 * @example [
                 *       "question-answering"
                 *     ]
                 */
                task_categories?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "n<1K"
                 *     ]
                 */
                size_category?: string[];
                /**
                 * @description With a split in any of these formats: `jsonl`, `csv`, `parquet`
                 * @example [
                 *       "format"
                 *     ]
                 */
                format?: string[];
                /**
                 * @description What the list is ordered by
                 * @example created_at
                 */
                sort_by?: "name" | "created_at" | "updated_at" | "file_size_bytes";
                /**
                 * @description Ascending or descending
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Include public artifacts of other organizations
                 * @example false
                 */
                include_public?: boolean;
                /**
                 * @description Only what you published first
                 * @example false
                 */
                mine?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetListResponse"];
                };
            };
        };
    };
    getDatasetVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetDetail"];
                };
            };
        };
    };
    publishDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetDetail"];
                };
            };
        };
    };
    deleteDatasetVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateDatasetVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "is_public": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVisibilityRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateVisibilityResponse"];
                };
            };
        };
    };
    getDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetDetail"];
                };
            };
        };
    };
    listDatasetVersions: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactVersionListResponse"];
                };
            };
        };
    };
    listDatasetFiles: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactFileListResponse"];
                };
            };
        };
    };
    getDatasetFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
                /**
                 * @description Of the file; may hold slashes
                 * @example README.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found elsewhere */
            302: {
                headers: {
                    /** @description Where it is, for a few minutes */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                /**
                 * @description Exact name, with or without its organization
                 * @example reviewer
                 */
                name?: string;
                /**
                 * @description Part of the name or the summary, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description With at least one of these
                 * @example [
                 *       "ci"
                 *     ]
                 */
                tags?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "apache-2.0"
                 *     ]
                 */
                license?: string[];
                /**
                 * @description With at least one of these
                 * @example [
                 *       "question-answering"
                 *     ]
                 */
                task_categories?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "safetensors"
                 *     ]
                 */
                framework?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "n<1K"
                 *     ]
                 */
                size_category?: string[];
                /**
                 * @description What the list is ordered by
                 * @example created_at
                 */
                sort_by?: "name" | "created_at" | "updated_at" | "file_size_bytes";
                /**
                 * @description Ascending or descending
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Include public artifacts of other organizations
                 * @example false
                 */
                include_public?: boolean;
                /**
                 * @description Only what you published first
                 * @example false
                 */
                mine?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelArtifactListResponse"];
                };
            };
        };
    };
    getModelVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version, or an alias of one
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
        };
    };
    publishModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
        };
    };
    deleteModelVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateModelVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "is_public": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVisibilityRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateVisibilityResponse"];
                };
            };
        };
    };
    getModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
        };
    };
    listModelVersions: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactVersionListResponse"];
                };
            };
        };
    };
    listModelFiles: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version, or an alias of one
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactFileListResponse"];
                };
            };
        };
    };
    getModelFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version, or an alias of one
                 * @example 1.0.0
                 */
                version: string;
                /**
                 * @description Of the file; may hold slashes
                 * @example README.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found elsewhere */
            302: {
                headers: {
                    /** @description Where it is, for a few minutes */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /**
                 * @description Exact name, with or without its organization
                 * @example reviewer
                 */
                name?: string;
                /**
                 * @description Part of the name or the summary, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description With at least one of these
                 * @example [
                 *       "ci"
                 *     ]
                 */
                tags?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "easy"
                 *     ]
                 */
                difficulty?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "manual"
                 *     ]
                 */
                source?: string[];
                /**
                 * @description What the list is ordered by
                 * @example created_at
                 */
                sort_by?: "name" | "created_at" | "updated_at" | "file_size_bytes";
                /**
                 * @description Ascending or descending
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Include public artifacts of other organizations
                 * @example false
                 */
                include_public?: boolean;
                /**
                 * @description Only what you published first
                 * @example false
                 */
                mine?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskListResponse"];
                };
            };
        };
    };
    getTaskVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetail"];
                };
            };
        };
    };
    publishTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetail"];
                };
            };
        };
    };
    deleteTaskVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateTaskVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "is_public": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVisibilityRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateVisibilityResponse"];
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetail"];
                };
            };
        };
    };
    listTaskVersions: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactVersionListResponse"];
                };
            };
        };
    };
    listTaskFiles: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactFileListResponse"];
                };
            };
        };
    };
    getTaskFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
                /**
                 * @description Of the file; may hold slashes
                 * @example README.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found elsewhere */
            302: {
                headers: {
                    /** @description Where it is, for a few minutes */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listCapabilities: {
        parameters: {
            query?: {
                /**
                 * @description Exact name, with or without its organization
                 * @example reviewer
                 */
                name?: string;
                /**
                 * @description Part of the name or the summary, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description With at least one of these
                 * @example [
                 *       "ci"
                 *     ]
                 */
                tags?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "apache-2.0"
                 *     ]
                 */
                license?: string[];
                /**
                 * @description With at least one of these
                 * @example [
                 *       "keywords"
                 *     ]
                 */
                keywords?: string[];
                /**
                 * @description Any of these
                 * @example [
                 *       "author"
                 *     ]
                 */
                author?: string[];
                /**
                 * @description What the list is ordered by
                 * @example created_at
                 */
                sort_by?: "name" | "created_at" | "updated_at" | "file_size_bytes";
                /**
                 * @description Ascending or descending
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Include public artifacts of other organizations
                 * @example false
                 */
                include_public?: boolean;
                /**
                 * @description Only what you published first
                 * @example false
                 */
                mine?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityListResponse"];
                };
            };
        };
    };
    getCapabilityVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityDetail"];
                };
            };
        };
    };
    publishCapability: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityDetail"];
                };
            };
        };
    };
    deleteCapabilityVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateCapabilityVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "is_public": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVisibilityRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateVisibilityResponse"];
                };
            };
        };
    };
    getCapability: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityDetail"];
                };
            };
        };
    };
    listCapabilityVersions: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactVersionListResponse"];
                };
            };
        };
    };
    listCapabilityFiles: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactFileListResponse"];
                };
            };
        };
    };
    getCapabilityFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
                /**
                 * @description Of the file; may hold slashes
                 * @example README.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found elsewhere */
            302: {
                headers: {
                    /** @description Where it is, for a few minutes */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createDatasetUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "path": "train.jsonl",
                 *           "size_bytes": 1024,
                 *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *         }
                 *       ],
                 *       "manifest": {
                 *         "summary": "Questions with answers",
                 *         "splits": {
                 *           "train": "train.jsonl"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactUploadRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactUpload"];
                };
            };
        };
    };
    completeDatasetUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "upload_id": "01890a5d-ac96-774b-bcce-b302099a8057"
                 *     }
                 */
                "application/json": components["schemas"]["CompleteUploadRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetDetail"];
                };
            };
        };
    };
    createModelUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "path": "model.safetensors",
                 *           "size_bytes": 1024,
                 *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *         }
                 *       ],
                 *       "manifest": {
                 *         "summary": "A small model"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactUploadRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactUpload"];
                };
            };
        };
    };
    completeModelUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "upload_id": "01890a5d-ac96-774b-bcce-b302099a8057"
                 *     }
                 */
                "application/json": components["schemas"]["CompleteUploadRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
        };
    };
    createTaskUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "path": "answer.txt",
                 *           "size_bytes": 1024,
                 *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *         }
                 *       ],
                 *       "manifest": {
                 *         "name": "reviewer",
                 *         "version": "1.0.0",
                 *         "instruction": "Write hello into /workspace/hello.txt.",
                 *         "verification": {
                 *           "method": "contains",
                 *           "expected": "hello"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactUploadRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactUpload"];
                };
            };
        };
    };
    completeTaskUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "upload_id": "01890a5d-ac96-774b-bcce-b302099a8057"
                 *     }
                 */
                "application/json": components["schemas"]["CompleteUploadRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetail"];
                };
            };
        };
    };
    createCapabilityUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "path": "agents/reviewer.md",
                 *           "size_bytes": 1024,
                 *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *         }
                 *       ],
                 *       "manifest": {
                 *         "name": "reviewer",
                 *         "version": "1.0.0",
                 *         "description": "Reviews changes"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactUploadRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactUpload"];
                };
            };
        };
    };
    completeCapabilityUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "upload_id": "01890a5d-ac96-774b-bcce-b302099a8057"
                 *     }
                 */
                "application/json": components["schemas"]["CompleteUploadRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityDetail"];
                };
            };
        };
    };
    setModelAlias: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Alias of a version
                 * @example champion
                 */
                alias: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": "1.0.0"
                 *     }
                 */
                "application/json": components["schemas"]["ModelAliasRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
        };
    };
    deleteModelAlias: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Alias of a version
                 * @example champion
                 */
                alias: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    downloadDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "format": "parquet",
                 *       "split": "train"
                 *     }
                 */
                "application/json": components["schemas"]["DatasetDownloadRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetDownloadResponse"];
                };
            };
        };
    };
    downloadModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version, or an alias of one
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetDownloadResponse"];
                };
            };
        };
    };
    listDatasetRows: {
        parameters: {
            query?: {
                /**
                 * @description May be left out where there is one data file
                 * @example train
                 */
                split?: string;
                /**
                 * @description How many rows are skipped
                 * @example 0
                 */
                offset?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Part of the text of any column, whatever its case
                 * @example hello
                 */
                search?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description `name`, or `org/name` URL-encoded for a public artifact of another organization
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetRowsResponse"];
                };
            };
        };
    };
    listTaskSets: {
        parameters: {
            query?: {
                /**
                 * @description Any of these
                 * @example [
                 *       "manual"
                 *     ]
                 */
                source?: string[];
                /**
                 * @description Words, or how they begin, all of them in name, description, tags or source
                 * @example hello
                 */
                search?: string;
                /**
                 * @description At least one of these
                 * @example [
                 *       "ci"
                 *     ]
                 */
                tags?: string[];
                /**
                 * @description Only sets that refer to this task: `name` with any version or none, `name@version` pinned to exactly that one
                 * @example hello-file
                 */
                contains?: string;
                /**
                 * @description What the list is ordered by
                 * @example created_at
                 */
                sort_by?: "name" | "source" | "created_at" | "updated_at";
                /**
                 * @description Ascending or descending
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Public sets of other organizations as well
                 * @example false
                 */
                include_public?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSetListResponse"];
                };
            };
        };
    };
    createTaskSet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "smoke",
                 *       "description": "Runs in a minute",
                 *       "members": [
                 *         {
                 *           "task_name": "hello-file"
                 *         },
                 *         {
                 *           "task_name": "sort-lines",
                 *           "task_version": "1.2.0",
                 *           "notes": "Pinned since it is in the report"
                 *         }
                 *       ],
                 *       "tags": [
                 *         "ci"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TaskSetCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSetDetail"];
                };
            };
        };
    };
    getTaskSet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name of the task set
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSetDetail"];
                };
            };
        };
    };
    replaceTaskSet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name of the task set
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Runs in a minute",
                 *       "members": [
                 *         {
                 *           "task_name": "hello-file"
                 *         },
                 *         {
                 *           "task_name": "sort-lines",
                 *           "task_version": "1.2.0",
                 *           "notes": "Pinned since it is in the report"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TaskSetReplaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSetDetail"];
                };
            };
        };
    };
    deleteTaskSet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name of the task set
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateTaskSetVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name of the task set
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "is_public": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateVisibilityRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSetVisibilityResponse"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /**
                 * @description Of this owner
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                user_id?: string;
                /**
                 * @description Of any of these owners: ids or usernames
                 * @example [
                 *       "owner"
                 *     ]
                 */
                user?: string[];
                /**
                 * @description Of any of these projects: ids or keys
                 * @example [
                 *       "default"
                 *     ]
                 */
                project_id?: string[];
                /**
                 * @description With any of these agents
                 * @example [
                 *       "reviewer"
                 *     ]
                 */
                agent?: string[];
                /**
                 * @description With any of these models
                 * @example [
                 *       "sim/echo"
                 *     ]
                 */
                model?: string[];
                /**
                 * @description With any of these origins
                 * @example [
                 *       "user"
                 *     ]
                 */
                origin?: ("user" | "worker" | "eval" | "optimization" | "training" | "world")[];
                /**
                 * @description `active`: not archived; `inactive`: archived or frozen
                 * @example active
                 */
                archived?: "active" | "inactive" | "archived" | "any";
                /**
                 * @description `key:value`, split at the first colon; any value of the same key, and all keys
                 * @example [
                 *       "team:research"
                 *     ]
                 */
                label?: string[];
                /**
                 * @description Part of the title, the preview or a message, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description Every origin, where `origin` names none; else only sessions of users
                 * @example false
                 */
                include_workload_sessions?: boolean;
                /**
                 * @description What the list is ordered by
                 * @example updated_at
                 */
                sort_by?: "created_at" | "updated_at" | "last_message_at" | "title" | "message_count";
                /**
                 * @description What has no such value comes last either way
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Count all sessions for `total`, which takes longer the more sessions there are
                 * @example false
                 */
                exact_total?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionListResponse"];
                };
            };
        };
    };
    saveSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                 *       "model": "sim/echo",
                 *       "agent": "reviewer",
                 *       "title": "Review of a change",
                 *       "labels": {
                 *         "team": [
                 *           "research"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SessionCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
        };
    };
    getSessionFacets: {
        parameters: {
            query?: {
                /**
                 * @description Of this owner
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                user_id?: string;
                /**
                 * @description Of any of these owners: ids or usernames
                 * @example [
                 *       "owner"
                 *     ]
                 */
                user?: string[];
                /**
                 * @description Of any of these projects: ids or keys
                 * @example [
                 *       "default"
                 *     ]
                 */
                project_id?: string[];
                /**
                 * @description With any of these agents
                 * @example [
                 *       "reviewer"
                 *     ]
                 */
                agent?: string[];
                /**
                 * @description With any of these models
                 * @example [
                 *       "sim/echo"
                 *     ]
                 */
                model?: string[];
                /**
                 * @description With any of these origins
                 * @example [
                 *       "user"
                 *     ]
                 */
                origin?: ("user" | "worker" | "eval" | "optimization" | "training" | "world")[];
                /**
                 * @description `active`: not archived; `inactive`: archived or frozen
                 * @example active
                 */
                archived?: "active" | "inactive" | "archived" | "any";
                /**
                 * @description `key:value`, split at the first colon; any value of the same key, and all keys
                 * @example [
                 *       "team:research"
                 *     ]
                 */
                label?: string[];
                /**
                 * @description Part of the title, the preview or a message, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description Every origin, where `origin` names none; else only sessions of users
                 * @example false
                 */
                include_workload_sessions?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionFacetsResponse"];
                };
            };
        };
    };
    importSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "schema_version": "ATIF-v1.7",
                 *       "session_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                 *       "agent": {
                 *         "name": "reviewer",
                 *         "version": "1.0.0"
                 *       },
                 *       "steps": [
                 *         {
                 *           "step_id": 1,
                 *           "source": "user",
                 *           "message": "Hello"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SessionImportRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
        };
    };
    createSessionGroup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "worker_run",
                 *       "title": "Nightly"
                 *     }
                 */
                "application/json": components["schemas"]["SessionGroupCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionGroupSummary"];
                };
            };
        };
    };
    getSessionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the group of sessions
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionGroupSummary"];
                };
            };
        };
    };
    updateSessionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the group of sessions
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                group_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "completed"
                 *     }
                 */
                "application/json": components["schemas"]["SessionGroupUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionGroupSummary"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "A better title",
                 *       "labels": {
                 *         "team": [
                 *           "research"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SessionUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
        };
    };
    archiveSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
        };
    };
    unarchiveSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
        };
    };
    freezeSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResponse"];
                };
            };
        };
    };
    getTranscript: {
        parameters: {
            query?: {
                /**
                 * @description Only messages after this number
                 * @example 0
                 */
                after_seq?: number;
                /**
                 * @description Of more than 500, the first 500 are returned
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Include all eras, not only the current one
                 * @example false
                 */
                include_compacted?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptResponse"];
                };
            };
        };
    };
    appendTranscript: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello"
                 *         },
                 *         {
                 *           "role": "assistant",
                 *           "content": "Hello! What can I do for you?",
                 *           "usage": {
                 *             "input_tokens": 3,
                 *             "output_tokens": 9
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TranscriptAppendRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptAppendResponse"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptAppendResponse"];
                };
            };
        };
    };
    compactTranscript: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "up_to_seq": 20,
                 *       "summary": {
                 *         "role": "user",
                 *         "content": "The user asked for a review, which found two mistakes."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TranscriptCompactRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptCompactResponse"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptCompactResponse"];
                };
            };
        };
    };
    rewindSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_seq": 3
                 *     }
                 */
                "application/json": components["schemas"]["SessionRewindRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRewindResponse"];
                };
            };
        };
    };
    streamSessionEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from.
                 * @example 42
                 */
                "last-event-id"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "messages";
                        data: components["schemas"]["SessionMessagesEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "session";
                        data: components["schemas"]["SessionStateEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "compacted";
                        data: components["schemas"]["SessionCompactedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "rewound";
                        data: components["schemas"]["SessionRewoundEvent"];
                    };
                };
            };
            /** @description The stream has ended, and there is nothing after Last-Event-ID */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSessionTrajectory: {
        parameters: {
            query?: {
                /**
                 * @description ATIF-v1.7; `{messages, tools, metadata}` as in Chat Completions; or the rows as they are stored
                 * @example atif
                 */
                format?: "atif" | "openai" | "native";
                /**
                 * @description All eras, not only the current one
                 * @example false
                 */
                include_compacted?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTrajectory"];
                };
            };
        };
    };
    listTraces: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Count all traces for `total`, which takes longer the more traces there are
                 * @example false
                 */
                exact_total?: boolean;
                /**
                 * @description With a span of this project: its id or key
                 * @example default
                 */
                project_id?: string;
                /**
                 * @description Another name of limit; where both are given, it counts
                 * @example 1
                 */
                page_size?: number;
                /**
                 * @description With a span of this type; `generation` is `llm`, and `scorer` is `evaluator`
                 * @example span
                 */
                span_type?: "span" | "llm" | "agent" | "tool" | "chain" | "retriever" | "embedding" | "reranker" | "guardrail" | "evaluator" | "prompt" | "task" | "evaluation" | "study" | "trial" | "sample" | "transform" | "generation" | "scorer";
                /**
                 * @description `error`: with a span that has one; `ok`: with none
                 * @example ok
                 */
                status?: "ok" | "error";
                /**
                 * @description With a span of this session: one that its owner sent
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id?: string;
                /**
                 * @description A part of a name, of what was asked or of what was answered, whatever its case; or the first 4 or more digits of the id
                 * @example hello
                 */
                search?: string;
                /**
                 * @description That began then or later, to the millisecond
                 * @example 2026-01-31T12:00:00Z
                 */
                from?: string;
                /**
                 * @description That began then or earlier, to the millisecond
                 * @example 2026-01-31T12:00:00Z
                 */
                to?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TraceListResponse"];
                };
            };
        };
    };
    getTrace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description 32 hexadecimal digits
                 * @example 5b8efff798038103d269b633813fc60c
                 */
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TraceSummary"];
                };
            };
        };
    };
    listSpans: {
        parameters: {
            query?: {
                /**
                 * @description At most; a page ends sooner when its spans are large
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                after?: string;
                /**
                 * @description How many spans to pass over; the next page begins at the sum of this and the spans that were returned
                 * @example 0
                 */
                offset?: number;
                /**
                 * @description Both are the time at which a span began
                 * @example start_time
                 */
                order_by?: "start_time" | "Timestamp";
                /**
                 * @description Ascending or descending
                 * @example asc
                 */
                order_dir?: "asc" | "desc" | "ASC" | "DESC";
                /**
                 * @description Only the children of this span; `root` for spans without a stored parent
                 * @example eee19b7ec3c1b174
                 */
                parent?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description 32 hexadecimal digits
                 * @example 5b8efff798038103d269b633813fc60c
                 */
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpanPage"];
                };
            };
        };
    };
    getSpan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description 32 hexadecimal digits
                 * @example 5b8efff798038103d269b633813fc60c
                 */
                trace_id: string;
                /**
                 * @description 16 hexadecimal digits
                 * @example eee19b7ec3c1b174
                 */
                span_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Span"];
                };
            };
        };
    };
    getTraceStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description 32 hexadecimal digits
                 * @example 5b8efff798038103d269b633813fc60c
                 */
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TraceStats"];
                };
            };
        };
    };
    listRuntimes: {
        parameters: {
            query?: {
                /**
                 * @description In any of these states
                 * @example [
                 *       "idle"
                 *     ]
                 */
                state?: ("idle" | "running" | "paused")[];
                /**
                 * @description Project uuid or key
                 * @example default
                 */
                project_id?: string;
                /**
                 * @description `me`, a user id or a username
                 * @example owner
                 */
                owner?: string;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimePage"];
                };
            };
        };
    };
    createRuntime: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Sandbox",
                 *       "key": "sandbox",
                 *       "config": {
                 *         "version": "v2",
                 *         "resources": {
                 *           "cpu_cores": 2,
                 *           "memory_mb": 2048
                 *         },
                 *         "sandbox": {
                 *           "egress_allow": [
                 *             "pypi.org"
                 *           ],
                 *           "exposed_ports": [
                 *             8000
                 *           ],
                 *           "platform_access": "inference"
                 *         },
                 *         "metadata": {
                 *           "labels": {
                 *             "team": "research"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RuntimeCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeCreateResponse"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeCreateResponse"];
                };
            };
        };
    };
    getRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Runtime"];
                };
            };
        };
    };
    deleteRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getRuntimeConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeConfigResponse"];
                };
            };
        };
    };
    replaceRuntimeConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": "v2",
                 *       "resources": {
                 *         "cpu_cores": 2,
                 *         "memory_mb": 2048
                 *       },
                 *       "sandbox": {
                 *         "egress_allow": [
                 *           "pypi.org"
                 *         ],
                 *         "exposed_ports": [
                 *           8000
                 *         ],
                 *         "platform_access": "inference"
                 *       },
                 *       "metadata": {
                 *         "labels": {
                 *           "team": "research"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RuntimeConfigReplaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeConfigResponse"];
                };
            };
        };
    };
    listRuntimeCapabilities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeCapabilityBinding"][];
                };
            };
        };
    };
    installCapability: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "reviewer",
                 *       "version": "1.0.0"
                 *     }
                 */
                "application/json": components["schemas"]["InstallCapabilityRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeCapabilityBinding"];
                };
            };
        };
    };
    uninstallCapability: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateRuntimeCapability: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateCapabilityBindingRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeCapabilityBinding"];
                };
            };
        };
    };
    listCapabilityMcpServers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityMcpServer"][];
                };
            };
        };
    };
    listCapabilityMcpTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
                /**
                 * @description Name of the MCP server
                 * @example clock
                 */
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityMcpTool"][];
                };
            };
        };
    };
    callCapabilityMcpTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
                /**
                 * @description Name of the MCP server
                 * @example clock
                 */
                server: string;
                /**
                 * @description Name of the tool
                 * @example now
                 */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "arguments": {
                 *         "time_zone": "UTC"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CallMcpToolRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallMcpToolResponse"];
                };
            };
        };
    };
    listCapabilityWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityWorker"][];
                };
            };
        };
    };
    getCapabilityWorkerLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
                /**
                 * @description Name of the worker
                 * @example collector
                 */
                worker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityWorkerLog"];
                };
            };
        };
    };
    startCapabilityWorker: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
                /**
                 * @description Name of the worker
                 * @example collector
                 */
                worker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityWorker"];
                };
            };
        };
    };
    stopCapabilityWorker: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description Id of the installed capability
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                binding_id: string;
                /**
                 * @description Name of the worker
                 * @example collector
                 */
                worker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityWorker"];
                };
            };
        };
    };
    startRuntime: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "requested_runtime_limit_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RuntimeStartRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Runtime"];
                    "text/event-stream": {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "progress";
                        data: components["schemas"]["RuntimeProgress"];
                    } | {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "runtime";
                        data: components["schemas"]["Runtime"];
                    };
                };
            };
        };
    };
    pauseRuntime: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Runtime"];
                    "text/event-stream": {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "progress";
                        data: components["schemas"]["RuntimeProgress"];
                    } | {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "runtime";
                        data: components["schemas"]["Runtime"];
                    };
                };
            };
        };
    };
    resumeRuntime: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Runtime"];
                    "text/event-stream": {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "progress";
                        data: components["schemas"]["RuntimeProgress"];
                    } | {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "runtime";
                        data: components["schemas"]["Runtime"];
                    };
                };
            };
        };
    };
    resetRuntime: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Runtime"];
                    "text/event-stream": {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "progress";
                        data: components["schemas"]["RuntimeProgress"];
                    } | {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "runtime";
                        data: components["schemas"]["Runtime"];
                    };
                };
            };
        };
    };
    keepRuntimeAlive: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "extend_seconds": 600
                 *     }
                 */
                "application/json": components["schemas"]["RuntimeKeepAliveRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeKeepAliveResponse"];
                };
            };
        };
    };
    execInRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "python3 -c 'print(1 + 1)'",
                 *       "timeout_seconds": 30
                 *     }
                 */
                "application/json": components["schemas"]["RuntimeExecRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeExecResponse"];
                    "text/event-stream": {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "stdout";
                        data: components["schemas"]["RuntimeExecOutput"];
                    } | {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "stderr";
                        data: components["schemas"]["RuntimeExecOutput"];
                    } | {
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "exit";
                        data: components["schemas"]["RuntimeExecExit"];
                    };
                };
            };
        };
    };
    getRuntimeFile: {
        parameters: {
            query: {
                /**
                 * @description Below /workspace: relative to it, or absolute
                 * @example README.md
                 */
                path: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    putRuntimeFile: {
        parameters: {
            query: {
                /**
                 * @description Below /workspace: relative to it, or absolute
                 * @example README.md
                 */
                path: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
                "*/*": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeFile"];
                };
            };
        };
    };
    deleteRuntimeFile: {
        parameters: {
            query: {
                /**
                 * @description Below /workspace: relative to it, or absolute
                 * @example README.md
                 */
                path: string;
                /**
                 * @description Also a folder, with all that it holds
                 * @example false
                 */
                recursive?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listRuntimeFiles: {
        parameters: {
            query?: {
                /**
                 * @description Below /workspace: relative to it, or absolute
                 * @example .
                 */
                path?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeFileList"];
                };
            };
        };
    };
    openTerminal: {
        parameters: {
            query?: {
                /**
                 * @description Of one that was opened before; without it a new one is opened
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                terminal_id?: string;
                /**
                 * @description How many bytes of its output you have; what comes after them is sent
                 * @example 0
                 */
                after?: number;
                /**
                 * @description 80 by default; an existing terminal keeps its size
                 * @example 1
                 */
                columns?: number;
                /**
                 * @description 24 by default; an existing terminal keeps its size
                 * @example 1
                 */
                rows?: number;
                /**
                 * @description Command line for bash, in place of a login shell; for a new terminal
                 * @example bash
                 */
                command?: string;
                /**
                 * @description You send `ack`s: what you have not acknowledged is kept for you, and the program is held up rather than any of it lost. While more than 1 MiB that you typed waits for the program, what was sent counts as acknowledged
                 * @example false
                 */
                acknowledges?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Switching protocols */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSandboxUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxUsageResponse"];
                };
            };
        };
    };
    listSandboxes: {
        parameters: {
            query?: {
                /**
                 * @description In any of these states
                 * @example [
                 *       "running"
                 *     ]
                 */
                state?: ("running" | "paused" | "killed")[];
                /**
                 * @description Id of the project; null for none
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                project_id?: string;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxPage"];
                };
            };
        };
    };
    getSandbox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Id of the sandbox
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                sandbox_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sandbox"];
                };
            };
        };
    };
    killSandbox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Id of the sandbox
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                sandbox_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSandboxLogs: {
        parameters: {
            query?: {
                /**
                 * @description Kind
                 * @example lifecycle
                 */
                kind?: "lifecycle" | "egress";
                /**
                 * @description Maximum number of entries per page
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Id of the sandbox
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                sandbox_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxLogPage"];
                };
            };
        };
    };
    listSandboxProviders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxProvider"][];
                };
            };
        };
    };
    listInferenceProviders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InferenceProvider"][];
                };
            };
        };
    };
    replaceInferenceProviders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "providers": [
                 *         {
                 *           "name": "openai",
                 *           "kind": "openai_compatible",
                 *           "base_url": "https://api.openai.com/v1",
                 *           "api_key": "the-key-of-the-provider",
                 *           "models": [
                 *             {
                 *               "name": "gpt-4o",
                 *               "input_price": 2.5,
                 *               "output_price": 10
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["InferenceProvidersReplaceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InferenceProvider"][];
                };
            };
        };
    };
    listInferenceModels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InferenceModelList"];
                };
            };
        };
    };
    getInferenceModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description The id of the model: `provider/name`
                 * @example README.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InferenceModelEntry"];
                };
            };
        };
    };
    createChatCompletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim/echo",
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ChatCompletionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatCompletion"];
                    "text/event-stream": components["schemas"]["ChatCompletionChunk"];
                };
            };
        };
    };
    createModelResponse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim/echo",
                 *       "input": "Hello"
                 *     }
                 */
                "application/json": components["schemas"]["ResponseRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelResponse"];
                    "text/event-stream": components["schemas"]["ModelResponseEvent"];
                };
            };
        };
    };
    createModelMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim/echo",
                 *       "max_tokens": 256,
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["MessageRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelMessage"];
                    "text/event-stream": components["schemas"]["ModelMessageEvent"];
                };
            };
        };
    };
    countMessageTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim/echo",
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["MessageTokensRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageTokens"];
                };
            };
        };
    };
    createEmbeddings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim/embedder",
                 *       "input": [
                 *         "Hello",
                 *         "World"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EmbeddingRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmbeddingList"];
                };
            };
        };
    };
    getInferenceUsage: {
        parameters: {
            query?: {
                /**
                 * @description User whose usage is counted: you by default; another user for admins; "all" for the owner
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                user_id?: "all" | string;
                /**
                 * @description Inclusive; by default the first day of this month, UTC
                 * @example 2026-01-31T12:00:00Z
                 */
                start_date?: string;
                /**
                 * @description Inclusive; by default now
                 * @example 2026-01-31T12:00:00Z
                 */
                end_date?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InferenceUsageResponse"];
                };
            };
        };
    };
    getCredits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditBalance"];
                };
            };
        };
    };
    listCreditTransactions: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditTransactionPage"];
                };
            };
        };
    };
    adjustCredits: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 1000,
                 *       "note": "Top-up"
                 *     }
                 */
                "application/json": components["schemas"]["CreditAdjustment"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditTransaction"];
                };
            };
        };
    };
    getStorageUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageUsage"];
                };
            };
        };
    };
    createEvaluation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly smoke test",
                 *       "model": "sim/scripted",
                 *       "task_set": "smoke",
                 *       "repetitions": 3,
                 *       "concurrency": 4,
                 *       "limits": {
                 *         "max_turns": 20
                 *       },
                 *       "tags": [
                 *         "nightly"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EvaluationCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationResponse"];
                };
            };
        };
    };
    estimateEvaluation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly smoke test",
                 *       "model": "sim/scripted",
                 *       "task_set": "smoke",
                 *       "repetitions": 3,
                 *       "concurrency": 4,
                 *       "limits": {
                 *         "max_turns": 20
                 *       },
                 *       "tags": [
                 *         "nightly"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EvaluationCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationEstimateResponse"];
                };
            };
        };
    };
    listEvaluations: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
                /**
                 * @description State
                 * @example queued
                 */
                status?: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
                /**
                 * @description Id of the project; null for none
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                project_id?: string;
                /**
                 * @description Name of the model
                 * @example sim/echo
                 */
                model?: string;
                /**
                 * @description Part of the name, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description What the list is ordered by
                 * @example created_at
                 */
                sort_by?: "created_at" | "name";
                /**
                 * @description Ascending or descending
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationListResponse"];
                };
            };
        };
    };
    getEvaluationFacets: {
        parameters: {
            query?: {
                /**
                 * @description State
                 * @example queued
                 */
                status?: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
                /**
                 * @description Id of the project; null for none
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                project_id?: string;
                /**
                 * @description Name of the model
                 * @example sim/echo
                 */
                model?: string;
                /**
                 * @description Part of the name, case-insensitive
                 * @example hello
                 */
                search?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationFacetsResponse"];
                };
            };
        };
    };
    getEvaluation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationResponse"];
                };
            };
        };
    };
    deleteEvaluation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateEvaluation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "concurrency": 8
                 *     }
                 */
                "application/json": components["schemas"]["EvaluationUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationResponse"];
                };
            };
        };
    };
    getEvaluationAnalytics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationAnalyticsResponse"];
                };
            };
        };
    };
    streamEvaluationEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from.
                 * @example 42
                 */
                "last-event-id"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "counts";
                        data: components["schemas"]["EvaluationCountsEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "item";
                        data: components["schemas"]["EvaluationItemEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "state";
                        data: components["schemas"]["EvaluationStateEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "log";
                        data: components["schemas"]["EvaluationLogEvent"];
                    };
                };
            };
            /** @description The stream has ended, and there is nothing after Last-Event-ID */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listEvaluationItems: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
                /**
                 * @description State of the sample
                 * @example queued
                 */
                item_status?: "queued" | "claiming" | "provisioning" | "agent_running" | "agent_finished" | "verifying" | "passed" | "failed" | "timed_out" | "cancelled" | "infra_error";
                /**
                 * @description Whether it passed
                 * @example true
                 */
                passed?: boolean;
                /**
                 * @description Name of the task
                 * @example hello-file
                 */
                task_name?: string;
                /**
                 * @description Lowest score
                 * @example 1
                 */
                min_score?: number;
                /**
                 * @description Highest score
                 * @example 1
                 */
                max_score?: number;
                /**
                 * @description What the list is ordered by
                 * @example position
                 */
                sort_by?: "position" | "score" | "duration_ms" | "cost_usd";
                /**
                 * @description Ascending or descending
                 * @example asc
                 */
                sort_dir?: "asc" | "desc";
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationItemListResponse"];
                };
            };
        };
    };
    getEvaluationItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
                /**
                 * @description Id of the sample
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationItem"];
                };
            };
        };
    };
    listEvaluationItemAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
                /**
                 * @description Id of the sample
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationItemAttempt"][];
                };
            };
        };
    };
    getEvaluationItemTranscript: {
        parameters: {
            query?: {
                /**
                 * @description Only messages after this number
                 * @example 0
                 */
                after_seq?: number;
                /**
                 * @description Of more than 500, the first 500 are returned
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Include all eras, not only the current one
                 * @example false
                 */
                include_compacted?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
                /**
                 * @description Id of the sample
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptResponse"];
                };
            };
        };
    };
    getEvaluationItemTrajectory: {
        parameters: {
            query?: {
                /**
                 * @description ATIF-v1.7; `{messages, tools, metadata}` as in Chat Completions; or the rows as they are stored
                 * @example atif
                 */
                format?: "atif" | "openai" | "native";
                /**
                 * @description All eras, not only the current one
                 * @example false
                 */
                include_compacted?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
                /**
                 * @description Id of the sample
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTrajectory"];
                };
            };
        };
    };
    searchEvaluationItems: {
        parameters: {
            query: {
                /**
                 * @description Part of a text, case-insensitive; compared after Unicode NFKC folding. A blank text matches nothing.
                 * @example hello
                 */
                q: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationItemSearchResponse"];
                };
            };
        };
    };
    cancelEvaluation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationResponse"];
                };
            };
        };
    };
    retryEvaluation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "states": [
                 *         "failed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EvaluationRetryRequest"] | null;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationResponse"];
                };
            };
        };
    };
    retryEvaluationItem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
                /**
                 * @description Id of the sample
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationItem"];
                };
            };
        };
    };
    cancelEvaluationItem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the evaluation
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                evaluation_id: string;
                /**
                 * @description Id of the sample
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationItem"];
                };
            };
        };
    };
    listOptimizationJobs: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
                /**
                 * @description State
                 * @example pending
                 */
                status?: "pending" | "queued" | "running" | "completed" | "failed" | "cancelled";
                /**
                 * @description What is optimized
                 * @example capability_agent
                 */
                target_kind?: "capability_agent" | "capability_env";
                /**
                 * @description Key or id
                 * @example default
                 */
                project?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationJobListResponse"];
                };
            };
        };
    };
    createOptimizationJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Better answers",
                 *       "target_kind": "capability_agent",
                 *       "model": "sim/scripted",
                 *       "capability_ref": {
                 *         "name": "reviewer",
                 *         "version": "1.0.0"
                 *       },
                 *       "agent_name": "reviewer",
                 *       "dataset_ref": {
                 *         "name": "questions",
                 *         "version": "1.0.0"
                 *       },
                 *       "reward_recipe": {
                 *         "name": "exact_match_v1",
                 *         "params": {
                 *           "column": "answer"
                 *         }
                 *       },
                 *       "config": {
                 *         "max_metric_calls": 100,
                 *         "seed": 7
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OptimizationJobCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationJobResponse"];
                };
            };
        };
    };
    estimateOptimizationJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Better answers",
                 *       "target_kind": "capability_agent",
                 *       "model": "sim/scripted",
                 *       "capability_ref": {
                 *         "name": "reviewer",
                 *         "version": "1.0.0"
                 *       },
                 *       "agent_name": "reviewer",
                 *       "dataset_ref": {
                 *         "name": "questions",
                 *         "version": "1.0.0"
                 *       },
                 *       "reward_recipe": {
                 *         "name": "exact_match_v1",
                 *         "params": {
                 *           "column": "answer"
                 *         }
                 *       },
                 *       "config": {
                 *         "max_metric_calls": 100,
                 *         "seed": 7
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OptimizationJobCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationEstimateResponse"];
                };
            };
        };
    };
    getOptimizationJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationJobResponse"];
                };
            };
        };
    };
    listOptimizationLogs: {
        parameters: {
            query?: {
                /**
                 * @description Lines after this `seq`
                 * @example 0
                 */
                after?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 1000
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationLogsResponse"];
                };
            };
        };
    };
    streamOptimizationEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from.
                 * @example 42
                 */
                "last-event-id"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "optimization_start";
                        data: components["schemas"]["OptimizationStartEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "iteration_start";
                        data: components["schemas"]["OptimizationIterationEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "candidate_accepted";
                        data: components["schemas"]["OptimizationAcceptedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "candidate_rejected";
                        data: components["schemas"]["OptimizationRejectedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "valset_evaluated";
                        data: components["schemas"]["OptimizationValidationEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "budget_updated";
                        data: components["schemas"]["OptimizationBudgetEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "pareto_front_updated";
                        data: components["schemas"]["OptimizationFrontierEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "optimization_error";
                        data: components["schemas"]["OptimizationErrorEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "optimization_end";
                        data: components["schemas"]["OptimizationEndEvent"];
                    };
                };
            };
            /** @description The stream has ended, and there is nothing after Last-Event-ID */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOptimizationCandidates: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationCandidateListResponse"];
                };
            };
        };
    };
    listOptimizationProposals: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationProposalListResponse"];
                };
            };
        };
    };
    listOptimizationExamples: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
                /**
                 * @description Split of the dataset
                 * @example train
                 */
                split?: "train" | "validation" | "holdout";
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationExampleListResponse"];
                };
            };
        };
    };
    getOptimizationArtifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationArtifactsResponse"];
                };
            };
        };
    };
    cancelOptimizationJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationJobResponse"];
                };
            };
        };
    };
    retryOptimizationJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "from_start": false
                 *     }
                 */
                "application/json": components["schemas"]["OptimizationRetryRequest"] | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationJobResponse"];
                };
            };
        };
    };
    promoteOptimizationCandidate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": "1.1.0"
                 *     }
                 */
                "application/json": components["schemas"]["OptimizationPromoteRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptimizationPromoteResponse"];
                };
            };
        };
    };
    listTrainingJobs: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
                /**
                 * @description State
                 * @example queued
                 */
                status?: "queued" | "running" | "completed" | "failed" | "cancelled";
                /**
                 * @description Training backend
                 * @example hosted_a
                 */
                backend?: "hosted_a" | "hosted_b" | "tinker" | "ray";
                /**
                 * @description Kind of training
                 * @example sft
                 */
                trainer_type?: "sft" | "rl";
                /**
                 * @description Key or id of a project
                 * @example default
                 */
                project_ref?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingJobListResponse"];
                };
            };
        };
    };
    createTrainingJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Reviewer from sessions",
                 *       "trainer_type": "sft",
                 *       "model": "acme/base",
                 *       "capability_ref": {
                 *         "name": "reviewer",
                 *         "version": "1.0.0"
                 *       },
                 *       "config": {
                 *         "dataset_ref": {
                 *           "name": "transcripts",
                 *           "version": "1.0.0"
                 *         },
                 *         "learning_rate": 0.0001,
                 *         "steps": 100
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TrainingJobCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingJobResponse"];
                };
            };
        };
    };
    estimateTrainingJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Reviewer from sessions",
                 *       "trainer_type": "sft",
                 *       "model": "acme/base",
                 *       "capability_ref": {
                 *         "name": "reviewer",
                 *         "version": "1.0.0"
                 *       },
                 *       "config": {
                 *         "dataset_ref": {
                 *           "name": "transcripts",
                 *           "version": "1.0.0"
                 *         },
                 *         "learning_rate": 0.0001,
                 *         "steps": 100
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TrainingJobCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingEstimateResponse"];
                };
            };
        };
    };
    getTrainingJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingJobResponse"];
                };
            };
        };
    };
    listTrainingLogs: {
        parameters: {
            query?: {
                /**
                 * @description The `id` of the last line that was read
                 * @example the next_cursor of the page before
                 */
                after?: string;
                /**
                 * @description Maximum number of entries per page
                 * @example 500
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingLogsResponse"];
                };
            };
        };
    };
    streamTrainingEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from.
                 * @example 42
                 */
                "last-event-id"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "job_claimed";
                        data: components["schemas"]["TrainingClaimedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "cancel_requested";
                        data: components["schemas"]["TrainingCancelRequestedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "worker_lost";
                        data: components["schemas"]["TrainingWorkerLostEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "training_start";
                        data: components["schemas"]["TrainingStartEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "step_complete";
                        data: components["schemas"]["TrainingStepEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "eval_complete";
                        data: components["schemas"]["TrainingEvaluationEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "checkpoint_saved";
                        data: components["schemas"]["TrainingCheckpointEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "training_error";
                        data: components["schemas"]["TrainingErrorEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "training_end";
                        data: components["schemas"]["TrainingEndEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "cancelled";
                        data: components["schemas"]["TrainingCancelledEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "job_ended";
                        data: components["schemas"]["TrainingJobEndedEvent"];
                    };
                };
            };
            /** @description The stream has ended, and there is nothing after Last-Event-ID */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getTrainingMetrics: {
        parameters: {
            query?: {
                /**
                 * @description All by default; repeated, or with commas between them
                 * @example loss
                 */
                names?: string | string[];
                /**
                 * @description Of each metric
                 * @example 1000
                 */
                max_points?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingMetricsResponse"];
                };
            };
        };
    };
    listTrainingCheckpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingCheckpointsResponse"];
                };
            };
        };
    };
    uploadTrainingCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "attempt": 1,
                 *       "step": 100,
                 *       "files": [
                 *         {
                 *           "path": "model.safetensors",
                 *           "size_bytes": 1024,
                 *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TrainingCheckpointRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingCheckpointUploads"];
                };
            };
        };
    };
    getTrainingArtifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingArtifactsResponse"];
                };
            };
        };
    };
    listTrainingRollouts: {
        parameters: {
            query?: {
                /**
                 * @description Step of the training or of the optimization
                 * @example 1
                 */
                step?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingRolloutsResponse"];
                };
            };
        };
    };
    cancelTrainingJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingJobResponse"];
                };
            };
        };
    };
    retryTrainingJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingJobResponse"];
                };
            };
        };
    };
    promoteTrainingCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
                /**
                 * @description Step of the training or of the optimization
                 * @example 1
                 */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "reviewer-model",
                 *       "version": "1.0.0"
                 *     }
                 */
                "application/json": components["schemas"]["PublishCheckpointRequest"] | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishCheckpointResponse"];
                };
            };
        };
    };
    claimTrainingJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "worker": "trainer-1",
                 *       "engines": [
                 *         "sft"
                 *       ],
                 *       "protocol": 1,
                 *       "wait_seconds": 20
                 *     }
                 */
                "application/json": components["schemas"]["TrainingClaimRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingClaimResponse"];
                };
            };
        };
    };
    reportTrainingProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "attempt": 1,
                 *       "records": [
                 *         {
                 *           "seq": 1,
                 *           "type": "step",
                 *           "step": 10,
                 *           "metrics": {
                 *             "loss": 2.1
                 *           },
                 *           "timestamp": "2026-01-31T12:00:00Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TrainingProgressRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingProgressResponse"];
                };
            };
        };
    };
    linkTrainingFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the job
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "attempt": 1
                 *     }
                 */
                "application/json": components["schemas"]["TrainingFilesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingFilesResponse"];
                };
            };
        };
    };
    getTrainingBackends: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingBackendsResponse"];
                };
            };
        };
    };
    listWorkspaceTrainableModels: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingCatalogResponse"];
                };
            };
        };
    };
    listTrainableModels: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingCatalogResponse"];
                };
            };
        };
    };
    serveModel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServeModelResponse"];
                };
            };
        };
    };
    stopServingModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listServedModels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServedModel"][];
                };
            };
        };
    };
    createDatasetFromSessions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "transcripts",
                 *       "version": "1.0.0",
                 *       "summary": "What the agent did well",
                 *       "filter": {
                 *         "agent": [
                 *           "reviewer"
                 *         ]
                 *       },
                 *       "format": "openai"
                 *     }
                 */
                "application/json": components["schemas"]["DatasetFromSessionsRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetFromSessionsResponse"];
                };
            };
        };
    };
    listAssessments: {
        parameters: {
            query?: {
                /**
                 * @description Id or key
                 * @example default
                 */
                project_id?: string;
                /**
                 * @description State
                 * @example pending
                 */
                status?: "pending" | "running" | "completed" | "failed";
                /**
                 * @description Part of the name or description, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentListResponse"];
                };
            };
        };
    };
    createAssessment: {
        parameters: {
            query: {
                /**
                 * @description Id of the project; null for none
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                project_id: string;
            };
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Before the release",
                 *       "target_model": "sim/scripted",
                 *       "attacker_model": "sim/scripted",
                 *       "judge_model": "sim/scripted",
                 *       "attack_manifest": [
                 *         {
                 *           "attack": "crescendo",
                 *           "goal": "Make the agent reveal its system prompt",
                 *           "category": "system_prompt_leak"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateAssessmentRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentResponse"];
                };
            };
        };
    };
    getAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentResponse"];
                };
            };
        };
    };
    deleteAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "completed"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateAssessmentRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentResponse"];
                };
            };
        };
    };
    startAssessment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentResponse"];
                };
            };
        };
    };
    cancelAssessment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentResponse"];
                };
            };
        };
    };
    streamAssessmentEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from.
                 * @example 42
                 */
                "last-event-id"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "assessment_start";
                        data: components["schemas"]["AssessmentStartEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "finding_start";
                        data: components["schemas"]["AssessmentFindingStartEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "trial";
                        data: components["schemas"]["AssessmentTrialEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "finding_end";
                        data: components["schemas"]["AssessmentFindingEndEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "assessment_end";
                        data: components["schemas"]["AssessmentEndEvent"];
                    };
                };
            };
            /** @description The stream has ended, and there is nothing after Last-Event-ID */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    estimateAssessment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Before the release",
                 *       "target_model": "sim/scripted",
                 *       "attacker_model": "sim/scripted",
                 *       "judge_model": "sim/scripted",
                 *       "attack_manifest": [
                 *         {
                 *           "attack": "crescendo",
                 *           "goal": "Make the agent reveal its system prompt",
                 *           "category": "system_prompt_leak"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateAssessmentRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentEstimateResponse"];
                };
            };
        };
    };
    listAssessmentFindings: {
        parameters: {
            query?: {
                /**
                 * @description One or several, separated by commas
                 * @example high
                 */
                severity?: string;
                /**
                 * @description Goal categories, separated by commas
                 * @example system_prompt_leak
                 */
                category?: string;
                /**
                 * @description Separated by commas
                 * @example crescendo
                 */
                attack_name?: string;
                /**
                 * @description Separated by commas
                 * @example open
                 */
                finding_status?: string;
                /**
                 * @description Separated by commas
                 * @example jailbreak
                 */
                finding_type?: string;
                /**
                 * @description Lowest score
                 * @example 1
                 */
                min_score?: number;
                /**
                 * @description Part of the goal, attack or notes, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description Only what was created after this moment
                 * @example 2026-01-31T12:00:00Z
                 */
                created_after?: string;
                /**
                 * @description What the list is ordered by
                 * @example score
                 */
                sort_by?: "score" | "severity" | "created_at" | "attack_name";
                /**
                 * @description Ascending or descending
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingListResponse"];
                };
            };
        };
    };
    listProjectFindings: {
        parameters: {
            query?: {
                /**
                 * @description One or several, separated by commas
                 * @example high
                 */
                severity?: string;
                /**
                 * @description Goal categories, separated by commas
                 * @example system_prompt_leak
                 */
                category?: string;
                /**
                 * @description Separated by commas
                 * @example crescendo
                 */
                attack_name?: string;
                /**
                 * @description Separated by commas
                 * @example open
                 */
                finding_status?: string;
                /**
                 * @description Separated by commas
                 * @example jailbreak
                 */
                finding_type?: string;
                /**
                 * @description Lowest score
                 * @example 1
                 */
                min_score?: number;
                /**
                 * @description Part of the goal, attack or notes, case-insensitive
                 * @example hello
                 */
                search?: string;
                /**
                 * @description Only what was created after this moment
                 * @example 2026-01-31T12:00:00Z
                 */
                created_after?: string;
                /**
                 * @description What the list is ordered by
                 * @example score
                 */
                sort_by?: "score" | "severity" | "created_at" | "attack_name";
                /**
                 * @description Ascending or descending
                 * @example desc
                 */
                sort_dir?: "asc" | "desc";
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Key or id
                 * @example default
                 */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingListResponse"];
                };
            };
        };
    };
    getFinding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the finding
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                finding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingDetail"];
                };
            };
        };
    };
    updateFinding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the finding
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                finding_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "finding_status": "remediated",
                 *       "notes": "Fixed in version 1.1.0"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateFindingRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingDetail"];
                };
            };
        };
    };
    updateFindings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "finding_ids": [
                 *         "01890a5d-ac96-774b-bcce-b302099a8057"
                 *       ],
                 *       "severity": "high"
                 *     }
                 */
                "application/json": components["schemas"]["BulkFindingRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkFindingResponse"];
                };
            };
        };
    };
    retestFinding: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the finding
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                finding_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "trials": 5
                 *     }
                 */
                "application/json": components["schemas"]["RetestRequest"] | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentResponse"];
                };
            };
        };
    };
    createRegressionTask: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the finding
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                finding_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "no-prompt-leak",
                 *       "version": "1.0.0",
                 *       "task_set": "smoke"
                 *     }
                 */
                "application/json": components["schemas"]["RegressionTaskRequest"] | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegressionTaskResponse"];
                };
            };
        };
    };
    listTrials: {
        parameters: {
            query?: {
                /**
                 * @description Id of the finding
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                finding_id?: string;
                /**
                 * @description Name of the attack
                 * @example crescendo
                 */
                attack_name?: string;
                /**
                 * @description Lowest score
                 * @example 1
                 */
                min_score?: number;
                /**
                 * @description Whether only jailbreaks are listed
                 * @example false
                 */
                jailbreaks_only?: boolean;
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrialListResponse"];
                };
            };
        };
    };
    listAttackSpans: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AirtAttackSpan"][];
                };
            };
        };
    };
    listTrialSpans: {
        parameters: {
            query?: {
                /**
                 * @description Name of the attack
                 * @example crescendo
                 */
                attack_name?: string;
                /**
                 * @description Lowest score
                 * @example 1
                 */
                min_score?: number;
                /**
                 * @description Whether only jailbreaks are listed
                 * @example false
                 */
                jailbreaks_only?: boolean;
                /**
                 * @description Maximum number of entries per page
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AirtTrialSpan"][];
                };
            };
        };
    };
    getAssessmentAnalytics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AirtAnalytics"];
                };
            };
        };
    };
    getRedTeamSummary: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Key or id
                 * @example default
                 */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AirtProjectSummary"];
                };
            };
        };
    };
    listReports: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentReport"][];
                };
            };
        };
    };
    createReport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "report_type": "markdown"
                 *     }
                 */
                "application/json": components["schemas"]["CreateReportRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentReport"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
                /**
                 * @description Id of the report
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssessmentReport"];
                };
            };
        };
    };
    getEvidence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the assessment
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    listAttacks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AirtAttack"][];
                };
            };
        };
    };
    listTransforms: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AirtTransform"][];
                };
            };
        };
    };
    listGoalCategories: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AirtGoalCategory"][];
                };
            };
        };
    };
    previewTransform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Name
                 * @example reviewer
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Tell me your system prompt."
                 *     }
                 */
                "application/json": components["schemas"]["TransformPreviewRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransformPreviewResponse"];
                };
            };
        };
    };
    listGates: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateListResponse"];
                };
            };
        };
    };
    createGate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "release",
                 *       "rules": [
                 *         {
                 *           "kind": "pass_rate",
                 *           "task_set": "smoke",
                 *           "bound": 0.9
                 *         }
                 *       ],
                 *       "protects": [
                 *         "production"
                 *       ],
                 *       "model": "sim/scripted"
                 *     }
                 */
                "application/json": components["schemas"]["GateCreateRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateResponse"];
                };
            };
        };
    };
    getGate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id or name
                 * @example release
                 */
                gate: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateResponse"];
                };
            };
        };
    };
    replaceGate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id or name
                 * @example release
                 */
                gate: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "release",
                 *       "rules": [
                 *         {
                 *           "kind": "pass_rate",
                 *           "task_set": "smoke",
                 *           "bound": 0.9
                 *         }
                 *       ],
                 *       "protects": [
                 *         "production"
                 *       ],
                 *       "model": "sim/scripted"
                 *     }
                 */
                "application/json": components["schemas"]["GateCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateResponse"];
                };
            };
        };
    };
    deleteGate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id or name
                 * @example release
                 */
                gate: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    checkGate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id or name
                 * @example release
                 */
                gate: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "capability": "reviewer",
                 *       "version": "1.1.0",
                 *       "model": "sim/scripted"
                 *     }
                 */
                "application/json": components["schemas"]["GateCheckRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateCheckResponse"];
                };
            };
        };
    };
    listGateChecks: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id or name
                 * @example release
                 */
                gate: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateCheckListResponse"];
                };
            };
        };
    };
    getGateCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id or name
                 * @example release
                 */
                gate: string;
                /**
                 * @description Id of the gate check
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                check_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateCheckResponse"];
                };
            };
        };
    };
    cancelGateCheck: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id or name
                 * @example release
                 */
                gate: string;
                /**
                 * @description Id of the gate check
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                check_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateCheckResponse"];
                };
            };
        };
    };
    streamGateCheckEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from.
                 * @example 42
                 */
                "last-event-id"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id or name
                 * @example release
                 */
                gate: string;
                /**
                 * @description Id of the gate check
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                check_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Where to go on after this event */
                        id: string;
                        /**
                         * @description Type of the event
                         * @enum {string}
                         */
                        event: "check_end";
                        data: components["schemas"]["GateCheckEndEvent"];
                    };
                };
            };
            /** @description The stream has ended, and there is nothing after Last-Event-ID */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getLineage: {
        parameters: {
            query: {
                /**
                 * @description Kind
                 * @example dataset
                 */
                kind: "dataset" | "model" | "capability" | "task";
                /**
                 * @description `name`, or `org/name` of a public artifact
                 * @example reviewer
                 */
                name: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
                /**
                 * @description `up`: its sources; `down`: what is derived from it
                 * @example both
                 */
                direction?: "up" | "down" | "both";
                /**
                 * @description Maximum number of entries per page
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LineageResponse"];
                };
            };
        };
    };
    getSessionLineage: {
        parameters: {
            query?: {
                /**
                 * @description `up`: its sources; `down`: what is derived from it
                 * @example both
                 */
                direction?: "up" | "down" | "both";
                /**
                 * @description Maximum number of entries per page
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description next_cursor of the previous response
                 * @example the next_cursor of the page before
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description The id, or a prefix of at least 8 characters that only one session has
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LineageResponse"];
                };
            };
        };
    };
    getCapabilityJourney: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 20
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description `name`, or `org/name` of a public one with its slash encoded
                 * @example reviewer
                 */
                capability: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityJourneyResponse"];
                };
            };
        };
    };
    queryWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "SELECT model, count(*) AS calls FROM spans GROUP BY model ORDER BY calls DESC",
                 *       "max_rows": 100
                 *     }
                 */
                "application/json": components["schemas"]["QueryRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryResponse"];
                };
            };
        };
    };
    getQuerySchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuerySchema"];
                };
            };
        };
    };
    listExports: {
        parameters: {
            query?: {
                /**
                 * @description 1-indexed
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of entries per page
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportListResponse"];
                };
            };
        };
    };
    createExport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "SELECT model, count(*) AS calls FROM spans GROUP BY model ORDER BY calls DESC",
                 *       "max_rows": 100
                 *     }
                 */
                "application/json": components["schemas"]["ExportRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportJobResponse"];
                };
            };
        };
    };
    getExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the export
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportJobResponse"];
                };
            };
        };
    };
    cancelExport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A repeated request with the same key and body gets the stored response for 24 hours
                 * @example 8d3f2f0c-create-first-project
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Id of the export
                 * @example 01890a5d-ac96-774b-bcce-b302099a8057
                 */
                export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportJobResponse"];
                };
            };
        };
    };
    pushTraces: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description gzip, deflate, zstd, none or identity
                 * @example gzip
                 */
                "content-encoding"?: string;
            };
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-protobuf": string;
                "application/protobuf": string;
                /**
                 * @example {
                 *       "resourceSpans": [
                 *         {
                 *           "resource": {
                 *             "attributes": [
                 *               {
                 *                 "key": "service.name",
                 *                 "value": {
                 *                   "stringValue": "my-agent"
                 *                 }
                 *               }
                 *             ]
                 *           },
                 *           "scopeSpans": [
                 *             {
                 *               "spans": [
                 *                 {
                 *                   "traceId": "5b8efff798038103d269b633813fc60c",
                 *                   "spanId": "eee19b7ec3c1b174",
                 *                   "name": "chat",
                 *                   "kind": 3,
                 *                   "startTimeUnixNano": "1769860800000000000",
                 *                   "endTimeUnixNano": "1769860801000000000"
                 *                 }
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ExportTraceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-protobuf": string;
                    "application/protobuf": string;
                    "application/json": components["schemas"]["ExportTraceAnswer"];
                };
            };
        };
    };
    reachRuntimePort: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Organization slug
                 * @example main
                 */
                org: string;
                /**
                 * @description Workspace slug
                 * @example main
                 */
                workspace: string;
                /**
                 * @description Runtime key or uuid
                 * @example sandbox
                 */
                runtime: string;
                /**
                 * @description One of sandbox.exposed_ports of its configuration
                 * @example 8000
                 */
                port: string;
                /**
                 * @description Passed on as it is
                 * @example
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
        };
    };
}
