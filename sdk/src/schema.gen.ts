/** Written by `npm run generate` from openapi.json. Do not edit. */
export interface components {
    schemas: {
        AgentCommand: {
            /** @description A line of bash, run in /workspace */
            command: string;
            /** @description Besides the variables of the platform; its values are never shown */
            env?: {
                [key: string]: string;
            } | null;
            /** @description Lines of bash that install the program, before the time of the agent begins */
            setup?: string | null;
        };
        AirtAgentActions: {
            commands: string[];
            /** @description Hosts that the sandbox asked for, with the decision */
            egress: string[];
            /** @description Paths that were changed in /workspace */
            files: string[];
        };
        AirtAnalytics: {
            /** Format: uuid */
            assessment_id: string;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed";
            overall_asr: number | null;
            success: components["schemas"]["AirtSuccessRate"];
            risk_score: number;
            total_attacks: number;
            total_trials: number;
            finished_trials: number;
            error_trials: number;
            by_attack: components["schemas"]["AirtRate"][];
            by_category: components["schemas"]["AirtRate"][];
            by_goal: components["schemas"]["AirtRate"][];
            /** @description Prompts as they are, which the lift of transforms is measured against */
            baseline: components["schemas"]["AirtSuccessRate"];
            /** @description Chains are joined by → */
            by_transform: components["schemas"]["AirtTransformRate"][];
            matrix: components["schemas"]["AirtMatrixCell"][];
            /** @description Findings with a success */
            severity_counts: {
                [key: string]: number;
            };
            finding_types: {
                [key: string]: number;
            };
            finding_statuses: {
                [key: string]: number;
            };
            compliance: components["schemas"]["AirtControl"][];
            started_at: string | null;
            completed_at: string | null;
            execution_time_s: number;
            model_calls: number;
            cost_usd: number;
            top_findings: components["schemas"]["AirtTopFinding"][];
            recommendations: string[];
            /** @description As the run found them, before triage */
            run: {
                overall_asr: number | null;
                risk_score: number | null;
            };
            calibration: components["schemas"]["AirtCalibration"];
        };
        AirtAttack: {
            name: string;
            summary: string;
            paper: {
                title: string;
                url: string;
            } | null;
            /** @enum {string} */
            turns: "single" | "multi" | "indirect" | "system";
            targets: ("model" | "http" | "agent")[];
            /** @description JSON Schema */
            params: {
                [key: string]: unknown;
            };
            /** @description Model calls that a trial costs, at most */
            calls_per_trial: {
                attacker: number;
                target: number;
                judge: number;
            };
            /** @description Ends at the first success, unless `params.exhaustive` is true */
            stops_early: boolean;
            /** @description The score from which a trial is a success; null: 0.5 */
            threshold: number | null;
        };
        AirtAttackSpan: {
            trace_id: string | null;
            span_id: string | null;
            /** Format: uuid */
            finding_id: string;
            attack_name: string;
            goal: string;
            goal_category: string | null;
            category: string | null;
            sub_category: string | null;
            transforms: string[];
            is_jailbreak: boolean;
            execution_time_s: number | null;
            target_model: string | null;
            attacker_model: string | null;
            evaluator_model: string | null;
            /** Format: date-time */
            created_at: string;
            best_score: number | null;
            asr: number | null;
            total_trials: number;
            finished_trials: number;
        };
        AirtCalibration: {
            judge_model: string | null;
            /** @description Findings with a success that people have reviewed, in the project, by this judge */
            reviews: number;
            /** @description How many reviews are missing until there are rates */
            missing: number;
            /** @description null before there are enough reviews */
            overall: components["schemas"]["AirtCorrectedRate"] | null;
            by_attack: components["schemas"]["AirtCorrectedRate"][];
        };
        AirtControl: {
            framework: string;
            /** @description Name and version */
            framework_name: string | null;
            control: string;
            title: string | null;
            /** @description Findings that test it */
            findings: number;
            /** @description Findings in which an attack succeeded */
            broken: number;
        };
        AirtCorrectedRate: {
            /** @description null: all attacks */
            attack_name: string | null;
            reviews: number;
            precision: number | null;
            precision_interval: components["schemas"]["AirtInterval"] | null;
            corrected_asr: number | null;
            corrected_interval: components["schemas"]["AirtInterval"] | null;
        };
        AirtGoalCategory: {
            name: string;
            description: string;
            /** @description Harmless goals that a manifest entry without goals uses */
            goals: string[];
            /** @description The severity from each score on, highest first */
            severities: {
                min_score: number;
                /** @enum {string} */
                severity: "critical" | "high" | "medium" | "low" | "info";
            }[];
        };
        AirtInterval: {
            low: number;
            high: number;
            level: number;
        };
        AirtMatrixCell: {
            category: string;
            attack_name: string;
            n: number;
            successes: number;
            asr: number | null;
        };
        AirtProjectSummary: {
            /** Format: uuid */
            project_id: string;
            project_key: string;
            project_name: string;
            assessments: {
                [key: string]: number;
            };
            total_findings: number;
            /** @description Open findings with a success */
            open_findings: {
                [key: string]: number;
            };
            finding_statuses: {
                [key: string]: number;
            };
            success: components["schemas"]["AirtSuccessRate"];
            /** @description Of the open findings */
            risk_score: number;
            last_assessment_at: string | null;
            /** @description The last 50 that have ended, oldest first, as they were measured */
            trend: components["schemas"]["AirtTrendPoint"][];
        };
        AirtRate: {
            name: string;
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
            /** Format: uuid */
            assessment_id: string;
            finding_id: string | null;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed";
            target: string;
            before: components["schemas"]["AirtSuccessRate"];
            after: components["schemas"]["AirtSuccessRate"];
            /** @description No trial succeeded; null before the end */
            is_fixed: boolean | null;
            /** Format: date-time */
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
            /** Format: uuid */
            id: string;
            attack_name: string;
            goal: string;
            goal_category: string | null;
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low" | "info";
            best_score: number | null;
        };
        AirtTransform: {
            name: string;
            /** @enum {string} */
            group: "encoding" | "look_alike" | "structure" | "language" | "style" | "noise" | "tokens";
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
            name: string;
            /** @description Finished trials */
            n: number;
            /** @description Trials that reached the threshold */
            successes: number;
            /** @description null where no trial has finished */
            asr: number | null;
            interval: components["schemas"]["AirtInterval"] | null;
            lift: number | null;
        };
        AirtTrendPoint: {
            /** Format: uuid */
            assessment_id: string;
            name: string;
            target_model: string | null;
            /** Format: date-time */
            completed_at: string;
            success: components["schemas"]["AirtSuccessRate"];
            risk_score: number | null;
        };
        AirtTrial: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            finding_id: string;
            attack_name: string;
            goal: string;
            goal_category: string | null;
            /** @description From 1, by score, in its finding */
            rank: number;
            candidate: string;
            transformed_prompt: string;
            response: string;
            judge_reasoning: string;
            trial_index: number;
            trial_status: string;
            score: number;
            is_jailbreak: boolean;
            execution_time_s: number;
            span_id: string;
            transforms_applied: string[];
            /** @description null when it finished */
            error: string | null;
            /** @description The session of an agent */
            session_id: string | null;
            /** @description What an agent did */
            actions: components["schemas"]["AirtAgentActions"] | null;
            /** Format: date-time */
            created_at: string;
        };
        AirtTrialSpan: {
            trace_id: string | null;
            span_id: string | null;
            /** Format: uuid */
            finding_id: string;
            attack_name: string;
            goal: string;
            goal_category: string | null;
            category: string | null;
            sub_category: string | null;
            transforms: string[];
            is_jailbreak: boolean;
            execution_time_s: number | null;
            target_model: string | null;
            attacker_model: string | null;
            evaluator_model: string | null;
            /** Format: date-time */
            created_at: string;
            trial_index: number;
            trial_status: string;
            score: number | null;
            candidate: string;
            transformed_prompt: string;
            response: string;
            judge_reasoning: string;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            masked_key: string;
            name: string;
            active: boolean;
            org_id: string | null;
            workspace_id: string | null;
            allowed_scopes: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write" | "training:work")[] | null;
            allow_self_revoke: boolean;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
            expires_at: string | null;
        };
        ApiKeyCreateRequest: {
            name: string;
            /** @description Limits the key to this organization */
            org_id?: string | null;
            /** @description Limits the key to this workspace */
            workspace_id?: string | null;
            /** @description Omitted: everything its user may do, except for `training:work`, which must be named */
            allowed_scopes?: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write" | "training:work")[] | null;
            expires_at?: string | null;
            /**
             * @description Whether the key may end itself
             * @default false
             */
            allow_self_revoke?: boolean;
        };
        ApiKeyCreated: {
            /** Format: uuid */
            id: string;
            masked_key: string;
            name: string;
            active: boolean;
            org_id: string | null;
            workspace_id: string | null;
            allowed_scopes: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write" | "training:work")[] | null;
            allow_self_revoke: boolean;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
            expires_at: string | null;
            /** @description Shown only now */
            key: string;
        };
        ArtifactFile: {
            path: string;
            size_bytes: number;
            /** @description In hexadecimal */
            sha256: string;
        };
        ArtifactFileListResponse: {
            files: components["schemas"]["ArtifactFile"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
        };
        ArtifactUpload: {
            /** Format: uuid */
            upload_id: string;
            /**
             * Format: date-time
             * @description Until when the links are valid
             */
            expires_at: string;
            files: {
                path: string;
                sha256: string;
                size_bytes: number;
                /** @description Send the content with PUT; null where the organization has it already */
                url: string | null;
            }[];
        };
        ArtifactUploadRequest: {
            files: {
                path: string;
                size_bytes: number;
                sha256: string;
            }[];
            /** @description As in the kind's manifest file */
            manifest: {
                [key: string]: unknown;
            };
        };
        ArtifactVersion: {
            /** Format: uuid */
            id: string;
            version: string;
            summary: string | null;
            digest: string;
            file_count: number;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            download_count: number;
            /** @description That name this version; only models have any */
            aliases: string[];
            /** @description For members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /** Format: date-time */
            created_at: string;
        };
        ArtifactVersionListResponse: {
            items: components["schemas"]["ArtifactVersion"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
            /** @description The version numbers of the items, in their order */
            versions: string[];
        };
        AssessmentEndEvent: {
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed";
            stop_reason: string | null;
            error?: string | null;
        };
        AssessmentEstimateResponse: {
            findings: number;
            /** @description At most; an attack stops at its first success */
            trials: number;
            /** @description At most */
            calls: {
                attacker: number;
                target: number;
                judge: number;
            };
            input_tokens: number;
            output_tokens: number;
            /** @description At most, by the price list */
            cost_usd: number;
            warnings: string[];
        };
        AssessmentFindingEndEvent: {
            finding_id: string;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed";
            /** @enum {string} */
            finding_type: "jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust";
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low" | "info";
            best_score: number | null;
        };
        AssessmentFindingStartEvent: {
            finding_id: string;
            attack_name: string;
            goal: string;
        };
        AssessmentListResponse: {
            items: components["schemas"]["AssessmentResponse"][];
            total: number;
            page: number;
            page_size: number;
        };
        AssessmentProgress: {
            findings: number;
            /** @description Ended, also those that failed */
            completed_findings: number;
            /** @description At most; an attack stops at its first success */
            planned_trials: number;
            trials: number;
            finished_trials: number;
            jailbreaks: number;
            /** @description Findings with a jailbreak */
            severities: {
                [key: string]: number;
            };
            model_calls: number;
            cost_usd: number;
        };
        AssessmentReport: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            assessment_id: string;
            /** @enum {string} */
            report_type: "markdown" | "json" | "html" | "sarif" | "executive_summary";
            /** @description Of every type but `json` */
            content: string | null;
            /** @description Of `json` and `sarif` */
            content_json: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            created_at: string;
        };
        AssessmentResponse: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** Format: uuid */
            workspace_id: string;
            /** Format: uuid */
            project_id: string;
            /** Format: uuid */
            user_id: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed";
            attack_manifest: {
                [key: string]: unknown;
            }[] | null;
            attacker_config: {
                [key: string]: unknown;
            } | null;
            target_config: {
                [key: string]: unknown;
            } | null;
            attacker_model: string | null;
            judge_model: string | null;
            target_model: string | null;
            overall_asr: number | null;
            risk_score: number | null;
            /** @description Of all trials so far */
            success: components["schemas"]["AirtSuccessRate"];
            /** @description The analytics as of its end; null in lists */
            analytics_snapshot: {
                [key: string]: unknown;
            } | null;
            progress: components["schemas"]["AssessmentProgress"];
            run_by: ("server" | "client") | null;
            /** @description The finding that it tries again */
            retest_of: string | null;
            stop_reason: string | null;
            error: string | null;
            runtime_id: string | null;
            sandbox_id: string | null;
            sandbox_detail: {
                provider: string;
                provider_sandbox_id: string;
                state: string;
                total_runtime_seconds: number | null;
            } | null;
            session_id: string | null;
            workflow_run_id: string | null;
            workflow_script: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            started_at: string | null;
            completed_at: string | null;
        };
        AssessmentStartEvent: {
            findings?: number;
        };
        AssessmentTrialEvent: {
            finding_id: string;
            trial_id: string;
            trial_index: number;
            score: number | null;
            is_jailbreak: boolean;
            error?: string;
        };
        AuditLogEntry: {
            /** Format: uuid */
            id: string;
            actor: {
                /** Format: uuid */
                id: string;
                username: string;
            } | null;
            api_key_id: string | null;
            action: string;
            resource: string;
            before: {
                [key: string]: unknown;
            } | null;
            after: {
                [key: string]: unknown;
            } | null;
            request_id: string | null;
            /** Format: date-time */
            created_at: string;
        };
        AuditLogPage: {
            items: components["schemas"]["AuditLogEntry"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        BrowserLogin: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds until the access token expires */
            expires_in: number;
            user: components["schemas"]["UserResponse"];
        };
        BulkFindingRequest: {
            finding_ids: string[];
            finding_status?: ("open" | "false_positive" | "accepted_risk" | "remediated" | "incorrect_scoring") | null;
            finding_type?: ("jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust") | null;
            severity?: ("critical" | "high" | "medium" | "low" | "info") | null;
            /** @description The reasoning of the review event */
            notes?: string | null;
        };
        BulkFindingResponse: {
            /** @description Without trials and retests; long texts are cut */
            items: components["schemas"]["FindingDetail"][];
        };
        CallMcpToolRequest: {
            /** @default {} */
            arguments?: {
                [key: string]: unknown;
            };
        };
        CallMcpToolResponse: {
            /** @description Blocks as the server sent them, such as `{"type": "text", "text": …}` */
            content: {
                [key: string]: unknown;
            }[];
            structured_content: {
                [key: string]: unknown;
            } | null;
            /** @description The tool says that it has failed; `content` says how */
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
            version: string;
            summary: string | null;
            tags: string[] | null;
            /** Format: date-time */
            created_at: string;
            download_count: number;
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            version_count: number;
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
            /** Format: uuid */
            organization_id: string;
            org_key: string;
            /** @description Over the manifest and the files, in hexadecimal */
            digest: string;
            manifest: {
                [key: string]: unknown;
            };
            file_count: number;
            /** @description Who published this version; for members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            description: string | null;
        };
        CapabilityJourneyResponse: {
            capability: string;
            items: components["schemas"]["JourneyVersion"][];
            total: number;
            page: number;
            page_size: number;
        };
        CapabilityListResponse: {
            capabilities: components["schemas"]["CapabilitySummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
        };
        CapabilityMcpServer: {
            name: string;
            /**
             * @description `stdio`: runs in the sandbox; `http`: call it at its address; `unknown`: see `problem`
             * @enum {string}
             */
            transport: "stdio" | "http" | "unknown";
            /** @description What is run in the sandbox */
            command: string[] | null;
            url: string | null;
            /** @description What the manifest says wrong */
            problem: string | null;
        };
        CapabilityMcpTool: {
            name: string;
            title: string | null;
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
            version: string;
            summary: string | null;
            tags: string[] | null;
            /** Format: date-time */
            created_at: string;
            download_count: number;
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            version_count: number;
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
            created: number;
            model: string;
            /** @constant */
            object: "chat.completion";
            choices: ({
                index: number;
                message: {
                    role: string;
                    content?: string | null;
                } & {
                    [key: string]: unknown;
                };
                finish_reason?: string | null;
            } & {
                [key: string]: unknown;
            })[];
            usage?: ({
                prompt_tokens: number;
                completion_tokens: number;
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
            created: number;
            model: string;
            /** @constant */
            object: "chat.completion.chunk";
            choices: ({
                index: number;
                delta: {
                    role?: string;
                    content?: string | null;
                } & {
                    [key: string]: unknown;
                };
                finish_reason?: string | null;
            } & {
                [key: string]: unknown;
            })[];
            usage?: ({
                prompt_tokens: number;
                completion_tokens: number;
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
            messages: ({
                /** @description Such as system, user, assistant or tool */
                role: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Answered as server-sent events while the model speaks */
            stream?: boolean | null;
            stream_options?: ({
                include_usage?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            max_completion_tokens?: number | null;
            /** @description An older name of `max_completion_tokens` */
            max_tokens?: number | null;
            n?: number | null;
            /** @description `drydock.session_id`, or `drydock.trace_id` with `drydock.span_id`, name what the call belongs to, and are not passed on */
            metadata?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        CompleteUploadRequest: {
            /** @description Omitted: the latest of the caller for this version */
            upload_id?: string | null;
        };
        ContaminationSource: {
            /** @enum {string} */
            kind: "dataset" | "model" | "capability" | "task" | "session" | "evaluation" | "finding" | "review" | "assessment" | "optimization_job" | "training_job" | "gate_check";
            /** Format: uuid */
            id: string;
            name: string | null;
            version: string | null;
        };
        CreateAssessmentRequest: {
            name: string;
            description?: string | null;
            attack_manifest?: ({
                [key: string]: unknown;
            }[] | ({
                attacks?: {
                    [key: string]: unknown;
                }[] | null;
            } & {
                [key: string]: unknown;
            })) | null;
            attacker_config?: ({
                /** @description `attacker_model` by default */
                model?: string | null;
                attacker_model?: string | null;
                /** @description `judge_model` by default */
                evaluator_model?: string | null;
                judge?: string | null;
                temperature?: number | null;
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
            target_config?: {
                [key: string]: unknown;
            } | null;
            attacker_model?: string | null;
            judge_model?: string | null;
            target_model?: string | null;
            workflow_run_id?: string | null;
            workflow_script?: string | null;
            runtime_id?: string | null;
            session_id?: string | null;
        };
        CreateReportRequest: {
            /** @enum {string} */
            report_type: "markdown" | "json" | "html" | "sarif" | "executive_summary";
            /** @description Stored as it is. Without content and content_json, the report is generated. */
            content?: string | null;
            content_json?: {
                [key: string]: unknown;
            } | null;
        };
        CreditAdjustment: {
            /** @description Positive adds, negative takes back at most what is available */
            amount: number;
            note?: string | null;
            /** @description Unique in the organization, so that it counts once; made up unless said */
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
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "adjustment" | "charge";
            /** @description What it was for: a call, a run of a sandbox, or what the adjustment was given */
            reference: string;
            /** @description Positive adds, negative takes */
            amount: number;
            /** @description Who adjusted; null for a charge */
            actor_id: string | null;
            note: string | null;
            /** Format: date-time */
            created_at: string;
        };
        CreditTransactionPage: {
            items: components["schemas"]["CreditTransaction"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        DatasetColumn: {
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
            version: string;
            summary: string | null;
            tags: string[] | null;
            /** Format: date-time */
            created_at: string;
            download_count: number;
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            version_count: number;
            license: string | null;
            task_categories: string[] | null;
            /** @description Of all splits */
            row_count: number | null;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            /** Format: uuid */
            organization_id: string;
            org_key: string;
            /** @description Over the manifest and the files, in hexadecimal */
            digest: string;
            manifest: {
                [key: string]: unknown;
            };
            file_count: number;
            /** @description Who published this version; for members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            splits: {
                name: string;
                path: string;
                /** @description `jsonl`, `csv` or `parquet` */
                format: string;
                size_bytes: number;
                row_count: number;
                columns: {
                    name: string;
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
            download_id: string;
            /**
             * @description `preparing`: ask again in a moment. `failed`: asking again tries anew
             * @enum {string}
             */
            status: "ready" | "preparing" | "failed";
            /** @description For whoever has it, until it expires */
            url: string | null;
            filename: string | null;
            expires_at: string | null;
        };
        DatasetFromSessionsRequest: {
            /** @description Of the dataset */
            name: string;
            version: string;
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
                /** @description A part of the title, of the preview or of a message, whatever its case */
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
            name: string;
            version: string;
            format: string;
            /** @description That matched */
            sessions: number;
            rows: number;
            /** @description That were left out */
            duplicates: number;
            /** @description Left out: without a message of an assistant, deleted, or not visible to you */
            empty_sessions: number;
            /** @description Rows of each */
            splits: {
                [key: string]: number;
            };
        };
        DatasetListResponse: {
            datasets: components["schemas"]["DatasetSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
        };
        /** @description A value for each column. Integers have all their digits, also beyond 2^53 */
        DatasetRow: {
            [key: string]: unknown;
        };
        DatasetRowsResponse: {
            columns: components["schemas"]["DatasetColumn"][];
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
            version: string;
            summary: string | null;
            tags: string[] | null;
            /** Format: date-time */
            created_at: string;
            download_count: number;
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            version_count: number;
            license: string | null;
            task_categories: string[] | null;
            /** @description Of all splits */
            row_count: number | null;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
        };
        DeviceApproval: {
            /** Format: uuid */
            id: string;
            user_code: string;
            /** @constant */
            completed: true;
            /** Format: uuid */
            user_id: string;
        };
        DeviceApprovalRequest: {
            /** @description Case, dashes and spaces do not matter */
            user_code: string;
        };
        DeviceCode: {
            /** Format: uuid */
            id: string;
            /** @description For the program alone: whoever has it gets the tokens */
            device_code: string;
            /** @description To be shown to the user */
            user_code: string;
            /** @description For a console that shows a page there; the approval itself is `POST /auth/device/approve` */
            verification_url: string;
            /** Format: date-time */
            expires_at: string;
            /** @description Seconds that are left */
            expires_in: number;
            /** @description A user has approved it */
            completed: boolean;
            /** @description Who approved it */
            user_id: string | null;
        };
        DeviceTokenRequest: {
            device_code: string;
        };
        DeviceTokens: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds until the access token expires */
            expires_in: number;
            /** @description Good for one refresh within 30 days */
            refresh_token: string;
        };
        EmbeddingList: {
            /** @constant */
            object: "list";
            data: {
                /** @constant */
                object: "embedding";
                index: number;
                embedding: number[] | string;
            }[];
            model: string;
            usage: {
                prompt_tokens: number;
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
            dimensions?: number | null;
        } & {
            [key: string]: unknown;
        };
        ErrorResponse: {
            /** @description The HTTP status */
            code: 400 | 401 | 403 | 404 | 409 | 422 | 426 | 429 | 500 | 502 | 504;
            /** @description Human-readable message */
            detail: string;
            /** @enum {string} */
            type: "already_exists_error" | "app_error" | "authentication_error" | "bad_gateway_error" | "cloud_error" | "configuration_error" | "conflict_error" | "database_error" | "expired_signature_error" | "expired_token_error" | "forbidden_error" | "gateway_timeout_error" | "group_error" | "invalid_error" | "invalid_flag_error" | "invalid_username_error" | "keyvalue_store_error" | "mail_error" | "member_exists_error" | "member_limit_exceeded_error" | "migration_lock_timeout_error" | "not_found_error" | "oauth_config_error" | "object_storage_error" | "org_sandbox_capacity_exceeded_error" | "payment_provider_error" | "sandbox_provider_error" | "sandbox_provider_rate_limit_error" | "server_error" | "task_error" | "task_set_not_found" | "token_error" | "upgrade_required_error" | "usage_limit_exceeded_error" | "user_suspended" | "user_verification_error" | "validation_error";
            errors?: components["schemas"]["ValidationErrorItem"][] | null;
        };
        EvaluationAnalyticsResponse: {
            /** Format: uuid */
            evaluation_id: string;
            total_samples: number;
            passed_count: number;
            /** @description Samples that failed or ran out of time */
            failed_count: number;
            /** @description Samples that could not run; in no rate */
            error_count: number;
            /** @description Passed of passed and failed; null before the first result */
            pass_rate: number | null;
            /** @description Wilson interval; with repetitions, by the effective number of samples */
            pass_rate_interval: {
                low: number;
                high: number;
                level: number;
            } | null;
            mean_score: number | null;
            /** @description Chance that one of k samples passes, for k up to the fewest results of a task */
            pass_at_k: {
                [key: string]: number;
            };
            /** @description Samples whose task or row was used to train or optimize the model or capability under test */
            contaminated_count: number;
            /** @description The same figures without contaminated samples */
            uncontaminated: {
                total_samples: number;
                passed_count: number;
                /** @description Samples that failed or ran out of time */
                failed_count: number;
                /** @description Samples that could not run; in no rate */
                error_count: number;
                /** @description Passed of passed and failed; null before the first result */
                pass_rate: number | null;
                /** @description Wilson interval; with repetitions, by the effective number of samples */
                pass_rate_interval: {
                    low: number;
                    high: number;
                    level: number;
                } | null;
                mean_score: number | null;
            };
            /** @description Empty for a dataset */
            by_task: components["schemas"]["EvaluationTaskResult"][];
            by_tag: {
                tag: string;
                total: number;
                passed: number;
                /** @description Failed or ran out of time */
                failed: number;
                /** @description Could not run */
                errors: number;
                /** @description Passed of passed and failed; null before the first result */
                pass_rate: number | null;
                mean_score: number | null;
            }[];
            by_difficulty: {
                difficulty: string;
                total: number;
                passed: number;
                /** @description Failed or ran out of time */
                failed: number;
                /** @description Could not run */
                errors: number;
                /** @description Passed of passed and failed; null before the first result */
                pass_rate: number | null;
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
                input: number;
                output: number;
                cache_read: number;
                cache_creation: number;
            };
            /** @description Of samples with a result */
            turns: {
                p50: number | null;
                p95: number | null;
            };
            /** @description Of samples with a result */
            durations_ms: {
                p50: number | null;
                p95: number | null;
            };
        };
        EvaluationCapability: {
            name: string;
            /** @description The newest release by default; pinned at creation */
            version?: string | null;
        };
        EvaluationCountsEvent: {
            item_counts: {
                [key: string]: number;
            };
        };
        EvaluationCreateRequest: {
            name: string;
            /** @description A model of the gateway, such as `sim/tool-user` */
            model: string;
            task_names?: string[] | null;
            task_set?: string | null;
            dataset?: components["schemas"]["EvaluationDataset"] | null;
            scorers?: components["schemas"]["Scorer"][] | null;
            /** @description An agent of the capability, or a program that is the agent; by default `basic` for tasks, and a single model call for datasets */
            agent?: (string | components["schemas"]["AgentCommand"]) | null;
            capability?: components["schemas"]["EvaluationCapability"] | null;
            /**
             * @description Samples of each task or row
             * @default 1
             */
            repetitions?: number;
            /** @default 4 */
            concurrency?: number;
            /** @description Of each sample */
            limits?: components["schemas"]["EvaluationLimits"] | null;
            /** @description The same as limits.task_timeout_seconds */
            task_timeout_sec?: number | null;
            /** @description Of the whole evaluation; it pauses when that is reached */
            budget_usd?: number | null;
            /**
             * @description Attempts after an infrastructure error
             * @default 2
             */
            max_retries?: number;
            /** @description A runtime of yours whose configuration is the template of every sandbox */
            runtime_id?: string | null;
            project_id?: string | null;
            secret_ids?: string[] | null;
            seed?: number | null;
            tags?: string[] | null;
        };
        EvaluationDataset: {
            /** @description `name`, or `org/name` of a public dataset */
            name: string;
            version: string;
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
            total_samples: number;
            /** @description Sandboxes that are started if nothing is tried again */
            sandboxes: number;
            /** @description An assumption: what the instructions have, over the turns that agents take */
            input_tokens: number;
            output_tokens: number;
            /** @description Of these tokens, by the price list */
            cost_usd: number;
            /** @description What limits and budget allow; null without either */
            max_cost_usd: number | null;
            skipped_members: {
                task_name: string;
                task_version: string | null;
                reason: string;
            }[];
        };
        EvaluationFacetEntry: {
            value: string;
            count: number;
        };
        EvaluationFacetsResponse: {
            /** @description Counted without the filter `status` */
            statuses: components["schemas"]["EvaluationFacetEntry"][];
            /** @description Counted without the filter `model`; at most 100, the most frequent first */
            models: components["schemas"]["EvaluationFacetEntry"][];
        };
        EvaluationItem: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            evaluation_id: string;
            position: number;
            task_name: string | null;
            task_version: string | null;
            row_index: number | null;
            /** @description Which repetition, from 1 */
            sample: number;
            /** @enum {string} */
            item_status: "queued" | "claiming" | "provisioning" | "agent_running" | "agent_finished" | "verifying" | "passed" | "failed" | "timed_out" | "cancelled" | "infra_error";
            retry_count: number;
            max_retries: number;
            /** @description Whether the task or row was used to train or optimize the model or capability under test */
            contaminated: boolean;
            /** @description The nearest job or dataset that used it */
            contaminated_by: components["schemas"]["ContaminationSource"] | null;
            /** Format: date-time */
            queued_at: string;
            passed: boolean | null;
            score: number | null;
            scores: {
                [key: string]: {
                    value: number | null;
                    passed: boolean | null;
                    explanation: string | null;
                    error: string | null;
                };
            };
            /** @description Figures that the verification reported */
            metrics: {
                [key: string]: unknown;
            } | null;
            stop_reason: string | null;
            error: string | null;
            error_kind: ("agent" | "verifier" | "limit" | "infra") | null;
            session_id: string | null;
            agent_sandbox_id: string | null;
            /** @description The sandbox of the verification */
            env_sandbox_id: string | null;
            requested_resources: {
                [key: string]: number;
            } | null;
            enforced_resources: {
                [key: string]: number;
            } | null;
            usage: {
                input_tokens: number;
                output_tokens: number;
                cache_read_input_tokens: number;
                cache_creation_input_tokens: number;
                cost_usd: number;
            };
            turn_count: number;
            /** @description At most 4 KiB of it */
            answer: string | null;
            verification: {
                exit_code: number | null;
                stdout: string;
                stderr: string;
                duration_ms: number;
            } | null;
            /** @description Files in /workspace that were written while the agent ran, at most 200 */
            changed_files: {
                path: string;
                size_bytes: number;
            }[] | null;
            duration_ms: number | null;
            started_at: string | null;
            agent_finished_at: string | null;
            completed_at: string | null;
        };
        EvaluationItemAttempt: {
            /** Format: uuid */
            id: string;
            /** @description From 1 */
            number: number;
            /** @enum {string} */
            status: "queued" | "claiming" | "provisioning" | "agent_running" | "agent_finished" | "verifying" | "passed" | "failed" | "timed_out" | "cancelled" | "infra_error";
            /** @description Only the last attempt counts */
            is_counted: boolean;
            passed: boolean | null;
            score: number | null;
            scores: {
                [key: string]: {
                    value: number | null;
                    passed: boolean | null;
                    explanation: string | null;
                    error: string | null;
                };
            };
            /** @description Figures that the verification reported */
            metrics: {
                [key: string]: unknown;
            } | null;
            stop_reason: string | null;
            error: string | null;
            error_kind: ("agent" | "verifier" | "limit" | "infra") | null;
            session_id: string | null;
            agent_sandbox_id: string | null;
            /** @description The sandbox of the verification */
            env_sandbox_id: string | null;
            requested_resources: {
                [key: string]: number;
            } | null;
            enforced_resources: {
                [key: string]: number;
            } | null;
            usage: {
                input_tokens: number;
                output_tokens: number;
                cache_read_input_tokens: number;
                cache_creation_input_tokens: number;
                cost_usd: number;
            };
            turn_count: number;
            /** @description At most 4 KiB of it */
            answer: string | null;
            verification: {
                exit_code: number | null;
                stdout: string;
                stderr: string;
                duration_ms: number;
            } | null;
            /** @description Files in /workspace that were written while the agent ran, at most 200 */
            changed_files: {
                path: string;
                size_bytes: number;
            }[] | null;
            duration_ms: number | null;
            started_at: string | null;
            agent_finished_at: string | null;
            completed_at: string | null;
        };
        EvaluationItemEvent: {
            /** Format: uuid */
            id: string;
            position: number;
            /** @enum {string} */
            item_status: "queued" | "claiming" | "provisioning" | "agent_running" | "agent_finished" | "verifying" | "passed" | "failed" | "timed_out" | "cancelled" | "infra_error";
            passed: boolean | null;
        };
        EvaluationItemListResponse: {
            items: components["schemas"]["EvaluationItem"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            page_size: number;
        };
        EvaluationItemSearchHit: {
            /** Format: uuid */
            item_id: string;
            /** @description Messages that match; 0 when only the error or the name of the task does */
            match_count: number;
            /**
             * @description The first of these that matches
             * @enum {string}
             */
            matched_in: "transcript" | "error" | "task_name";
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
            /** @default 50 */
            max_turns?: number;
            max_output_tokens?: number | null;
            max_cost_usd?: number | null;
            task_timeout_seconds?: number | null;
        };
        EvaluationListResponse: {
            items: components["schemas"]["EvaluationResponse"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            page_size: number;
        };
        EvaluationLogEvent: {
            item_id: string | null;
            message: string;
        };
        EvaluationResponse: {
            /** Format: uuid */
            id: string;
            name: string;
            model: string;
            /** @enum {string} */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
            task_names: string[] | null;
            task_set: string | null;
            dataset: {
                name: string;
                version: string;
                split?: string | null;
                input: string;
                expected?: string | null;
                system?: string | null;
                files?: {
                    [key: string]: string;
                } | null;
            } | null;
            scorers: {
                /** @enum {string} */
                type: "exact" | "contains" | "numeric" | "reward";
                name: string;
                value?: string | number | null;
                column?: string | null;
                ignore_case?: boolean;
                trim?: boolean;
                tolerance?: number;
                recipe?: {
                    name: string;
                    params: {
                        [key: string]: unknown;
                    };
                };
            }[];
            agent: (string | components["schemas"]["ProgramAgent"]) | null;
            capability: {
                name: string;
                version: string;
            } | null;
            repetitions: number;
            concurrency: number;
            limits: {
                max_turns: number;
                max_output_tokens?: number | null;
                max_cost_usd?: number | null;
                task_timeout_seconds?: number | null;
            };
            budget_usd: number | null;
            max_retries: number;
            runtime_id: string | null;
            project_id: string | null;
            secret_ids: string[];
            seed: number | null;
            tags: string[];
            item_counts: {
                [key: string]: number;
            };
            total_samples: number;
            passed_count: number;
            /** @description Samples that failed or ran out of time */
            failed_count: number;
            /** @description Samples that could not run */
            error_count: number;
            /** @description Passed of passed and failed; null before the first result */
            pass_rate: number | null;
            mean_score: number | null;
            /** @description Members of the task set that did not resolve */
            skipped_members: {
                task_name: string;
                task_version: string | null;
                reason: string;
            }[];
            stop_reason: string | null;
            pause_reason: string | null;
            error: string | null;
            /** @description Of all attempts */
            cost_usd: number;
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
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            completed_at: string | null;
        };
        EvaluationRetryRequest: {
            states?: ("failed" | "infra_error" | "timed_out")[] | null;
        };
        EvaluationStateEvent: {
            /** @enum {string} */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
            pause_reason?: string | null;
            error?: string | null;
        };
        EvaluationTaskResult: {
            task_name: string;
            total: number;
            passed: number;
            /** @description Failed or ran out of time */
            failed: number;
            /** @description Could not run */
            errors: number;
            /** @description Passed of passed and failed; null before the first result */
            pass_rate: number | null;
            mean_score: number | null;
        };
        EvaluationUpdateRequest: {
            name?: string;
            concurrency?: number;
            /** @description Paused: samples under way finish, and no more begin */
            paused?: boolean;
            budget_usd?: number | null;
            tags?: string[];
        };
        ExportJobResponse: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** Format: date-time */
            created_at: string;
            /** @description When it ended, however it did */
            completed_at: string | null;
            error_message: string | null;
            /** @description The file, in Parquet: for whoever has the link, until it expires */
            presigned_url: string | null;
            /** @description A day after its end; then the file is deleted */
            url_expires_at: string | null;
            file_size_bytes: number;
            row_count: number;
            /** @description Rows that were read for it so far: its progress */
            rows_read: number;
        };
        ExportListResponse: {
            exports: components["schemas"]["ExportJobResponse"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
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
            resourceSpans?: components["schemas"]["OtlpResourceSpans"][];
        };
        FindingDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            assessment_id: string;
            assessment_name: string | null;
            attack_name: string;
            goal: string;
            goal_category: string | null;
            category: string | null;
            sub_category: string | null;
            risk_domain: string | null;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed";
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low" | "info";
            original_severity: string | null;
            /** @enum {string} */
            finding_status: "open" | "false_positive" | "accepted_risk" | "remediated" | "incorrect_scoring";
            /** @enum {string} */
            finding_type: "jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust";
            is_jailbreak: boolean;
            best_score: number | null;
            finished_trials: number;
            total_trials: number;
            /** @description Share of finished trials in which the target held */
            pass_rate: number | null;
            success: components["schemas"]["AirtSuccessRate"];
            execution_time_s: number | null;
            compliance_tags: {
                [key: string]: string[];
            } | null;
            transforms_applied: string[] | null;
            target_model: string | null;
            attacker_model: string | null;
            evaluator_model: string | null;
            notes: string | null;
            error: string | null;
            cost_usd: number;
            trace_id: string | null;
            span_id: string | null;
            adversarial_class: string | null;
            attack_domain: string | null;
            distance_norm: string | null;
            distance_value: number | null;
            input_modality: string | null;
            original_class: string | null;
            best_candidate: string | null;
            best_transformed_prompt: string | null;
            best_response: string | null;
            best_judge_reasoning: string | null;
            /** Format: date-time */
            created_at: string;
            updated_at: string | null;
            completed_at: string | null;
            review_events: components["schemas"]["FindingReviewEvent"][];
            top_trials: components["schemas"]["TrialEvidence"][];
            /** @description The finding that this one tries again */
            retest_of: string | null;
            /** @description Newest first */
            retests: components["schemas"]["AirtRetest"][];
            /** @description The newest proof that the attack works or no longer works: a retest, or a check of a gate. Where it is fixed, the finding can be marked as remediated */
            remediation: components["schemas"]["FindingRemediation"] | null;
        };
        FindingListResponse: {
            items: components["schemas"]["FindingSummary"][];
            total: number;
            page: number;
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
            gate_check_id: string | null;
            /** @description In which the attack ran again */
            assessment_id: string | null;
            /** @description In which its regression task ran */
            evaluation_id: string | null;
            /** Format: date-time */
            created_at: string;
        };
        FindingReviewEvent: {
            original_finding_type: string | null;
            original_severity: string | null;
            original_status: string | null;
            updated_finding_type: string | null;
            updated_severity: string | null;
            updated_status: string | null;
            reasoning: string | null;
            /** @description A username, or `system` */
            updated_by: string | null;
            updated_at: string | null;
            retest_id?: string | null;
        };
        FindingSummary: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            assessment_id: string;
            assessment_name: string | null;
            attack_name: string;
            goal: string;
            goal_category: string | null;
            category: string | null;
            sub_category: string | null;
            risk_domain: string | null;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed";
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low" | "info";
            original_severity: string | null;
            /** @enum {string} */
            finding_status: "open" | "false_positive" | "accepted_risk" | "remediated" | "incorrect_scoring";
            /** @enum {string} */
            finding_type: "jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust";
            is_jailbreak: boolean;
            best_score: number | null;
            finished_trials: number;
            total_trials: number;
            /** @description Share of finished trials in which the target held */
            pass_rate: number | null;
            success: components["schemas"]["AirtSuccessRate"];
            execution_time_s: number | null;
            compliance_tags: {
                [key: string]: string[];
            } | null;
            transforms_applied: string[] | null;
            target_model: string | null;
            attacker_model: string | null;
            evaluator_model: string | null;
            notes: string | null;
            error: string | null;
            cost_usd: number;
            trace_id: string | null;
            span_id: string | null;
            adversarial_class: string | null;
            attack_domain: string | null;
            distance_norm: string | null;
            distance_value: number | null;
            input_modality: string | null;
            original_class: string | null;
            best_candidate: string | null;
            best_transformed_prompt: string | null;
            best_response: string | null;
            best_judge_reasoning: string | null;
            /** Format: date-time */
            created_at: string;
            updated_at: string | null;
            completed_at: string | null;
        };
        GateCheckEndEvent: {
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            verdict: ("passed" | "failed" | "inconclusive") | null;
            error: string | null;
        };
        GateCheckListResponse: {
            items: components["schemas"]["GateCheckResponse"][];
            total: number;
            page: number;
            page_size: number;
        };
        GateCheckRequest: {
            /** @description `name`, or `org/name` of a public one; needs `version` */
            capability?: string | null;
            /** @description A model of the gateway, or with `version` one of the registry that is served here; beside a capability, the model that runs it */
            model?: string | null;
            version?: string | null;
        };
        GateCheckResponse: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            gate_id: string;
            gate_name: string;
            capability: string | null;
            model: string;
            version: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @description null before the end; passed where every rule has passed */
            verdict: ("passed" | "failed" | "inconclusive") | null;
            /** @description By rule; as far as they are known while the check runs */
            results: components["schemas"]["GateRuleResult"][];
            rules: components["schemas"]["GateRule"][];
            error: string | null;
            /** Format: uuid */
            created_by: string;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            completed_at: string | null;
        };
        GateCreateRequest: {
            name: string;
            description?: string | null;
            rules: components["schemas"]["GateRuleRequest"][];
            /** @description Capabilities whose releases are promoted only after a check of the same candidate has passed */
            protects?: string[] | null;
            /** @description With which capabilities are checked; a check may name another */
            model?: string | null;
            /** @description Of the capability; the built-in agent by default */
            agent?: string | null;
            attacker_model?: string | null;
            judge_model?: string | null;
            /** @description Key or id; `default` by default */
            project?: string | null;
            /**
             * @description Samples of each task
             * @default 1
             */
            repetitions?: number;
            /** @default 4 */
            concurrency?: number;
            /** @description Of each evaluation and assessment */
            budget_usd?: number | null;
            seed?: number | null;
        };
        GateListResponse: {
            items: components["schemas"]["GateResponse"][];
            total: number;
            page: number;
            page_size: number;
        };
        GateResponse: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            rules: components["schemas"]["GateRule"][];
            protects: string[];
            /** @description With which capabilities are checked; a check may name another */
            model?: string | null;
            /** @description Of the capability; the built-in agent by default */
            agent?: string | null;
            attacker_model?: string | null;
            judge_model?: string | null;
            /** @description Key or id; `default` by default */
            project?: string | null;
            /**
             * @description Samples of each task
             * @default 1
             */
            repetitions: number;
            /** @default 4 */
            concurrency: number;
            /** @description Of each evaluation and assessment */
            budget_usd?: number | null;
            seed?: number | null;
            last_check: {
                /** Format: uuid */
                id: string;
                capability: string | null;
                model: string;
                version: string | null;
                /** @enum {string} */
                status: "queued" | "running" | "completed" | "failed" | "cancelled";
                verdict: ("passed" | "failed" | "inconclusive") | null;
                /** Format: date-time */
                created_at: string;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
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
            attack_manifest?: ({
                attack?: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            bound: number;
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
                attacks?: {
                    [key: string]: unknown;
                }[] | null;
            } & {
                [key: string]: unknown;
            })) | null;
            bound: number;
            /**
             * @description How far the interval of a rate may reach beyond the bound. 0.1 with a bound of 1 needs 35 samples that all pass
             * @default 0.1
             */
            margin?: number;
        };
        GateRuleResult: {
            /** @enum {string} */
            kind: "pass_rate" | "asr" | "cost" | "latency";
            bound: number;
            /** @enum {string} */
            verdict: "passed" | "failed" | "inconclusive";
            /** @description What was measured; null where nothing was */
            value: number | null;
            interval: {
                low: number;
                high: number;
                level: number;
            } | null;
            /** @description Samples or trials with a result */
            n: number;
            /** @description Samples or trials without one */
            errors: number;
            /** @description How many more are needed at the same rate; null where none are, or none would help */
            more_samples: number | null;
            reason: string;
            evaluation_id: string | null;
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
            version: string;
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
            /** @enum {string} */
            type: "already_exists_error" | "app_error" | "authentication_error" | "bad_gateway_error" | "cloud_error" | "configuration_error" | "conflict_error" | "database_error" | "expired_signature_error" | "expired_token_error" | "forbidden_error" | "gateway_timeout_error" | "group_error" | "invalid_error" | "invalid_flag_error" | "invalid_username_error" | "keyvalue_store_error" | "mail_error" | "member_exists_error" | "member_limit_exceeded_error" | "migration_lock_timeout_error" | "not_found_error" | "oauth_config_error" | "object_storage_error" | "org_sandbox_capacity_exceeded_error" | "payment_provider_error" | "sandbox_provider_error" | "sandbox_provider_rate_limit_error" | "server_error" | "task_error" | "task_set_not_found" | "token_error" | "upgrade_required_error" | "usage_limit_exceeded_error" | "user_suspended" | "user_verification_error" | "validation_error";
            errors?: components["schemas"]["ValidationErrorItem"][] | null;
            error: {
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
            name: string;
            /** @description US dollars per million tokens */
            input_price: number;
            /** @description US dollars per million tokens */
            output_price: number;
            /** @description US dollars per million tokens */
            cache_read_price: number;
            /** @description US dollars per million tokens */
            cache_creation_price: number;
            max_output_tokens: number;
        };
        InferenceModelEntry: {
            /** @description `provider/name`: what calls name */
            id: string;
            /** @constant */
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
            /** @description Its answers are made up by Drydock; no model is called */
            simulated: boolean;
        };
        InferenceModelList: {
            /** @constant */
            object: "list";
            data: components["schemas"]["InferenceModelEntry"][];
            /**
             * @description All models are in one list
             * @constant
             */
            has_more: false;
            first_id: string | null;
            last_id: string | null;
        };
        InferenceModelRequest: {
            /** @description As the provider calls it */
            name: string;
            /** @description US dollars per million tokens */
            input_price: number;
            /** @description US dollars per million tokens */
            output_price: number;
            /** @description US dollars per million tokens; unless given, as input_price */
            cache_read_price?: number;
            /** @description US dollars per million tokens; unless given, as input_price */
            cache_creation_price?: number;
            /**
             * @description What is held back for a call that sets no limit
             * @default 8192
             */
            max_output_tokens?: number;
        };
        InferenceProvider: {
            name: string;
            /** @enum {string} */
            kind: "openai_compatible" | "anthropic" | "google";
            base_url: string;
            has_api_key: boolean;
            timeout_seconds: number;
            models: components["schemas"]["InferenceModel"][];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        InferenceProviderRequest: {
            /** @description What comes before the first slash in the ids of its models */
            name: string;
            /** @enum {string} */
            kind: "openai_compatible" | "anthropic" | "google";
            /**
             * Format: uri
             * @description What comes before `/chat/completions`, or what its kind has in its place
             */
            base_url: string;
            /** @description Never comes back. Left out: the one that is kept stays; null: none */
            api_key?: string | null;
            /**
             * @description Until the first byte, between any two, and between any two events of a stream that say something
             * @default 600
             */
            timeout_seconds?: number;
            models: components["schemas"]["InferenceModelRequest"][];
        };
        InferenceProvidersReplaceRequest: {
            providers: components["schemas"]["InferenceProviderRequest"][];
        };
        InferenceUsageResponse: {
            /** Format: date-time */
            start_date: string;
            /** Format: date-time */
            end_date: string;
            /** @description Those with the most tokens first, then by name */
            models: components["schemas"]["ModelUsageStats"][];
            total_cost_usd: number;
            total_credits: number;
            total_input_tokens: number;
            total_output_tokens: number;
            total_request_count: number;
            total_unpriced_request_count: number;
        };
        InstallCapabilityRequest: {
            /** @description Local name, or `owner/name` of a public one of another organization */
            name: string;
            /** @description The newest release unless given */
            version?: string | null;
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            email_address: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member";
            /** Format: uuid */
            created_by: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
        };
        InvitationCreateRequest: {
            email_address: string;
            /**
             * @default member
             * @enum {string}
             */
            role?: "owner" | "admin" | "member";
        };
        InvitationCreated: {
            /** Format: uuid */
            id: string;
            email_address: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member";
            /** Format: uuid */
            created_by: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** @description For POST /auth/signup or /auth/login; shown only now, good for one use */
            invitation_token: string;
            /** @description A link that carries the token */
            url: string;
        };
        JourneyVersion: {
            version: string;
            is_prerelease: boolean;
            /** Format: date-time */
            created_at: string;
            description: string | null;
            /** @description The optimization job of this workspace whose candidate was promoted */
            made_by: {
                /** Format: uuid */
                optimization_job_id: string;
                candidate: number;
                from_version: string;
                /** @description Of the candidate, on the validation set */
                score: number;
                /** @description Of the version that the job started from */
                score_before: number | null;
                holdout_score: number | null;
                holdout_score_before: number | null;
                model: string;
            } | null;
            /** @description The first 100 paths whose content differs from the version that it was made from, else from the version published before it */
            changed_files: string[];
            changed_file_count: number;
            /** @description The newest 5 of this workspace */
            evaluations: {
                /** Format: uuid */
                id: string;
                name: string;
                task_set: string | null;
                model: string;
                pass_rate: number | null;
                /** @description null before the end */
                pass_rate_interval: {
                    low: number;
                    high: number;
                    level: number;
                } | null;
                mean_score: number | null;
                /** @description Samples with a result */
                n: number;
                /** @description Samples that could not run */
                errors: number;
                cost_usd: number;
                /** @description null before the end */
                contaminated_count: number | null;
                completed_at: string | null;
            }[];
            /** @description The newest 5 of this workspace that the server has run with this version as target */
            assessments: {
                /** Format: uuid */
                id: string;
                name: string;
                asr: number | null;
                asr_interval: {
                    low: number;
                    high: number;
                    level: number;
                } | null;
                /** @description Trials with a score */
                n: number;
                risk_score: number | null;
                completed_at: string | null;
            }[];
            /** @description The newest 10 of this workspace */
            checks: {
                /** Format: uuid */
                id: string;
                gate: string;
                /** @enum {string} */
                status: "queued" | "running" | "completed" | "failed" | "cancelled";
                verdict: ("passed" | "failed" | "inconclusive") | null;
                /** Format: date-time */
                created_at: string;
            }[];
            findings: {
                /** @description Findings of assessments of this version in which the attack succeeded */
                opened: number;
                /** @description Those of them that are remediated now */
                remediated: number;
            };
        };
        LabelFacetEntry: {
            value: string;
            count: number;
        };
        LineageEdge: {
            /**
             * Format: uuid
             * @description What was made
             */
            from: string;
            /**
             * Format: uuid
             * @description What it was made from
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
            /** @enum {string} */
            kind: "dataset" | "model" | "capability" | "task" | "session" | "evaluation" | "finding" | "review" | "assessment" | "optimization_job" | "training_job" | "gate_check";
            /** @description Of an artifact, with its organization where that is another */
            name: string | null;
            version: string | null;
            /** @description The key of the workspace; null for an artifact */
            workspace: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Edges to the root on the shortest way: negative for what it was made from, positive for what was made from it */
            distance: number;
        };
        LineageResponse: {
            root: components["schemas"]["LineageRoot"];
            /** @description The nearest first; without the root */
            nodes: components["schemas"]["LineageNode"][];
            /** @description Edges between a node of this page and the root, another node of it or one of the pages before */
            edges: components["schemas"]["LineageEdge"][];
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
            /** @enum {string} */
            kind: "dataset" | "model" | "capability" | "task" | "session" | "evaluation" | "finding" | "review" | "assessment" | "optimization_job" | "training_job" | "gate_check";
            /** @description Of an artifact, with its organization where that is another */
            name: string | null;
            version: string | null;
            /** @description The key of the workspace; null for an artifact */
            workspace: string | null;
            /** Format: date-time */
            created_at: string;
        };
        LoginRequest: {
            email_address: string;
            password: string;
            /** @description From the link of an invitation */
            invitation_token?: string | null;
        };
        LoginResponse: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds until the access token expires */
            expires_in: number;
            /** @description Good for one refresh within 30 days */
            refresh_token: string;
            user: components["schemas"]["UserResponse"];
        };
        LogoutResponse: {
            /** @constant */
            logged_out: true;
        };
        Member: {
            /**
             * Format: uuid
             * @description Of the membership
             */
            id: string;
            /** Format: uuid */
            user_id: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member";
            user: components["schemas"]["UserIdentity"];
            /** Format: date-time */
            created_at: string;
        };
        MemberCreateRequest: {
            /** @description A username, or an e-mail address proven through an invitation */
            user: string;
            /**
             * @default member
             * @enum {string}
             */
            role?: "owner" | "admin" | "member";
        };
        MemberUpdateRequest: {
            /** @enum {string} */
            role: "owner" | "admin" | "member";
        };
        Message: {
            /** @description Made here when absent; one that is known is not stored twice */
            id?: string | null;
            parent_id?: string | null;
            /** @enum {string} */
            role: "system" | "user" | "assistant" | "tool";
            content: string;
            tool_calls?: components["schemas"]["ToolCall"][] | null;
            /** @description Of a tool: the call that this answers */
            tool_call_id?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Of what the model was asked for this message */
            usage?: components["schemas"]["MessageUsage"] | null;
        };
        MessageErrorResponse: {
            /** @description The HTTP status */
            code: 400 | 401 | 403 | 404 | 409 | 422 | 426 | 429 | 500 | 502 | 504;
            /** @description Human-readable message */
            detail: string;
            /** @constant */
            type: "error";
            errors?: components["schemas"]["ValidationErrorItem"][] | null;
            error: {
                /** @description Anthropic's, such as `invalid_request_error` or `overloaded_error` */
                type: string;
                message: string;
                /**
                 * @description The `type` that other operations answer with
                 * @enum {string}
                 */
                drydock_type: "already_exists_error" | "app_error" | "authentication_error" | "bad_gateway_error" | "cloud_error" | "configuration_error" | "conflict_error" | "database_error" | "expired_signature_error" | "expired_token_error" | "forbidden_error" | "gateway_timeout_error" | "group_error" | "invalid_error" | "invalid_flag_error" | "invalid_username_error" | "keyvalue_store_error" | "mail_error" | "member_exists_error" | "member_limit_exceeded_error" | "migration_lock_timeout_error" | "not_found_error" | "oauth_config_error" | "object_storage_error" | "org_sandbox_capacity_exceeded_error" | "payment_provider_error" | "sandbox_provider_error" | "sandbox_provider_rate_limit_error" | "server_error" | "task_error" | "task_set_not_found" | "token_error" | "upgrade_required_error" | "usage_limit_exceeded_error" | "user_suspended" | "user_verification_error" | "validation_error";
            };
        };
        MessageRequest: {
            /** @description `provider/name`, as GET …/inference/v1/models lists them */
            model: string;
            messages: ({
                /** @enum {string} */
                role: "user" | "assistant" | "system";
                content: string | ({
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
            system?: (string | ({
                type: string;
            } & {
                [key: string]: unknown;
            })[]) | null;
            /** @description With `input_schema`, or of a type that the provider runs or knows, for a provider of kind anthropic */
            tools?: ({
                type?: string | null;
                name?: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            tool_choice?: ({
                type: string;
            } & {
                [key: string]: unknown;
            }) | null;
            max_tokens: number;
            /** @description Answered as server-sent events while the model writes */
            stream?: boolean | null;
            stop_sequences?: string[] | null;
            temperature?: number | null;
            top_p?: number | null;
            /** @description `drydock.session_id`, or `drydock.trace_id` with `drydock.span_id`, name what the call belongs to, and are not passed on */
            metadata?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        MessageTokens: {
            input_tokens: number;
        } & {
            [key: string]: unknown;
        };
        MessageTokensRequest: {
            /** @description `provider/name`, as GET …/inference/v1/models lists them */
            model: string;
            messages: ({
                /** @enum {string} */
                role: "user" | "assistant" | "system";
                content: string | ({
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
            system?: (string | ({
                type: string;
            } & {
                [key: string]: unknown;
            })[]) | null;
            /** @description With `input_schema`, or of a type that the provider runs or knows, for a provider of kind anthropic */
            tools?: ({
                type?: string | null;
                name?: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            tool_choice?: ({
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
            output_tokens: number;
            /** @default 0 */
            cache_read_input_tokens?: number;
            /** @default 0 */
            cache_creation_input_tokens?: number;
            cost_usd?: number | null;
        };
        ModelAliasRequest: {
            version: string;
        };
        ModelArtifactListResponse: {
            models: components["schemas"]["ModelArtifactSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
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
            version: string;
            summary: string | null;
            tags: string[] | null;
            /** Format: date-time */
            created_at: string;
            download_count: number;
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            version_count: number;
            framework: string;
            origin: {
                [key: string]: unknown;
            };
            /** @description Of all versions */
            aliases: string[];
            architecture: string | null;
            base_model: string | null;
            license: string | null;
            pretty_name: string | null;
            size_category: string | null;
            task: string | null;
            language: string[] | null;
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
            version: string;
            summary: string | null;
            tags: string[] | null;
            /** Format: date-time */
            created_at: string;
            download_count: number;
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            version_count: number;
            framework: string;
            origin: {
                [key: string]: unknown;
            };
            /** @description Of all versions */
            aliases: string[];
            architecture: string | null;
            base_model: string | null;
            license: string | null;
            pretty_name: string | null;
            size_category: string | null;
            task: string | null;
            language: string[] | null;
            task_categories: string[] | null;
            /** Format: uuid */
            organization_id: string;
            org_key: string;
            /** @description Over the manifest and the files, in hexadecimal */
            digest: string;
            manifest: {
                [key: string]: unknown;
            };
            file_count: number;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            /** @description Who published this version; for members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /** @description The version that each alias names */
            alias_versions: {
                [key: string]: string;
            };
        };
        ModelMessage: {
            id: string;
            /** @constant */
            type: "message";
            /** @constant */
            role: "assistant";
            model: string;
            content: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            stop_reason: string | null;
            usage: {
                input_tokens: number;
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
            /** @constant */
            object: "response";
            created_at: number;
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete" | "failed";
            model: string;
            output: ({
                id: string;
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            usage?: ({
                input_tokens: number;
                output_tokens: number;
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
            sequence_number: number;
        } & {
            [key: string]: unknown;
        };
        ModelUsageStats: {
            /** @description As it is called here; what spans call it, or "unknown" */
            model: string;
            /** @description Of the requests whose cost is known: `unpriced_request_count` says of how many it is not */
            cost_usd: number;
            /** @description What was charged: spans never are */
            credits: number;
            /** @description Cached ones included */
            input_tokens: number;
            output_tokens: number;
            request_count: number;
            /** @description Requests whose cost is not known: no price list has their model */
            unpriced_request_count: number;
            total_tokens: number;
        };
        OnboardingRequest: {
            /** @description 3 to 39 lower-case letters, digits and inner dashes */
            username: string;
            email_opt_in?: boolean;
            /** @description Creates an organization of this name */
            org_name?: string | null;
        };
        OptimizationAcceptedEvent: {
            iteration: number;
            proposal: number;
            parents: (number | null)[];
            components?: string[];
            parent_sum: number | null;
            child_sum: number | null;
            index: number;
            /** @enum {string} */
            found_by: "seed" | "reflection" | "merge";
            metric_calls_at_discovery: number;
        };
        OptimizationArtifactsResponse: {
            artifacts: {
                best_candidate: {
                    [key: string]: string;
                } | null;
                /** @description The files of the capability that the best candidate changes, as a promotion would publish them */
                files: {
                    path: string;
                    text: string;
                }[];
                promoted: {
                    capability: string;
                    version: string;
                    candidate: number;
                    /** Format: date-time */
                    created_at: string;
                }[];
            };
        };
        OptimizationBudget: {
            metric_calls_used: number;
            /** @description Checked between iterations, so that one may exceed it */
            metric_calls_limit: number | null;
            /** @description The seed and one iteration */
            metric_calls_floor: number;
            /** @description Samples of the holdout, which count apart */
            holdout_calls: number;
            reflection_calls: number;
            cost_usd: number;
        };
        OptimizationBudgetEvent: {
            metric_calls: number;
        };
        OptimizationCandidate: {
            /** @description 0 is the capability as it was */
            index: number;
            /** @description -1 for the seed */
            iteration: number;
            proposal: number;
            /** @enum {string} */
            found_by: "seed" | "reflection" | "merge";
            parents: number[];
            /** @description All components */
            texts: {
                [key: string]: string;
            };
            /** @description On the validation set, by position */
            scores: number[];
            mean_score: number;
            /** @description Means of the metrics of its verifications */
            objectives: {
                [key: string]: number;
            };
            /** @description Measured for each candidate that was the best so far */
            holdout_score: number | null;
            /** @description It was the best when it was found */
            was_best: boolean;
            is_on_frontier: boolean;
            /** @description When it was found */
            metric_calls: number;
            /** @description The evaluation on the validation set; null where all scores were known */
            evaluation_id: string | null;
            reflections: components["schemas"]["OptimizationReflection"][];
            /** Format: date-time */
            created_at: string;
        };
        OptimizationCandidateListResponse: {
            items: components["schemas"]["OptimizationCandidate"][];
            total: number;
            /** @description 1-indexed */
            page: number;
            page_size: number;
        };
        OptimizationDatasetRef: {
            /** @description `name`, or `org/name` of a public dataset */
            name: string;
            version: string;
            /** @description `train`, or `validation` for the validation set, where there are several */
            split?: string | null;
        };
        OptimizationEndEvent: {
            /** @enum {string} */
            status: "pending" | "queued" | "running" | "completed" | "failed" | "cancelled";
            stop_reason: string | null;
            best_index: number | null;
        };
        OptimizationErrorEvent: {
            message: string;
        };
        OptimizationEstimateResponse: {
            train_size: number;
            /** @description 0: the training set is the validation set */
            val_size: number;
            holdout_size: number;
            /** @description The seed and one iteration with an accepted candidate */
            metric_calls_floor: number;
            metric_calls_limit: number | null;
            /** @description An assumption: three of ten proposals are accepted */
            metric_calls: number;
            holdout_calls: number;
            reflection_calls: number;
            input_tokens: number;
            output_tokens: number;
            /** @description Of these tokens, by the price list */
            cost_usd: number;
            warnings: string[];
        };
        OptimizationExample: {
            /** @enum {string} */
            split: "train" | "validation" | "holdout";
            position: number;
            row_index: number | null;
            task_name: string | null;
            task_version: string | null;
            /** @description At most 500 characters of it */
            input: string;
        };
        OptimizationExampleListResponse: {
            items: components["schemas"]["OptimizationExample"][];
            total: number;
            /** @description 1-indexed */
            page: number;
            page_size: number;
        };
        OptimizationFrontierEvent: {
            frontier_size: number;
            front: number[];
        };
        OptimizationIterationEvent: {
            iteration: number;
            proposals?: {
                parent: number;
                minibatch: number[];
            }[];
            merge?: {
                parents: number[];
                ancestor: number;
                minibatch: number[];
            };
        };
        OptimizationJobConfig: {
            /**
             * @default epoch_shuffled
             * @enum {string}
             */
            batch_sampler: "epoch_shuffled";
            /**
             * @default pareto
             * @enum {string}
             */
            candidate_selection_strategy: "pareto" | "current_best" | "epsilon_greedy" | "top_k_pareto";
            /**
             * @default round_robin
             * @enum {string}
             */
            module_selector: "round_robin" | "all";
            /**
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
            reflection_prompt_template?: string | null;
            /** @default 3 */
            reflection_minibatch_size: number;
            /** @default true */
            skip_perfect_score: boolean;
            /** @default 1 */
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
            /** @description Taken and ignored: all outputs are kept */
            track_best_outputs?: boolean | null;
            /** @description Taken and ignored */
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
            task_ref?: string | null;
            /** @default 0 */
            max_merge_invocations: number;
            /** @default 5 */
            merge_val_overlap_floor: number;
            max_metric_calls?: number | null;
            /** @description Of running, without the time in which no worker had the job */
            max_runtime_sec?: number | null;
            /** @description Iterations, skipped ones too */
            max_trials?: number | null;
            max_trials_without_improvement?: number | null;
            /** @default 10 */
            max_reflection_examples: number;
            /** @default 4000 */
            max_side_info_chars: number;
            /** @default 0 */
            seed: number;
            /** @description Of each sample */
            timeout_sec?: number | null;
            /** @description `from:to` renames a column, `name` keeps one */
            dataset_input_mapping?: string[] | null;
            task_refs?: string[] | null;
            val_task_refs?: string[] | null;
        };
        OptimizationJobConfigRequest: {
            /**
             * @default epoch_shuffled
             * @enum {string}
             */
            batch_sampler?: "epoch_shuffled";
            /**
             * @default pareto
             * @enum {string}
             */
            candidate_selection_strategy?: "pareto" | "current_best" | "epsilon_greedy" | "top_k_pareto";
            /**
             * @default round_robin
             * @enum {string}
             */
            module_selector?: "round_robin" | "all";
            /**
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
            reflection_prompt_template?: string | null;
            /** @default 3 */
            reflection_minibatch_size?: number;
            /** @default true */
            skip_perfect_score?: boolean;
            /** @default 1 */
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
            /** @description Taken and ignored: all outputs are kept */
            track_best_outputs?: boolean | null;
            /** @description Taken and ignored */
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
            task_ref?: string | null;
            /** @default 0 */
            max_merge_invocations?: number;
            /** @default 5 */
            merge_val_overlap_floor?: number;
            max_metric_calls?: number | null;
            /** @description Of running, without the time in which no worker had the job */
            max_runtime_sec?: number | null;
            /** @description Iterations, skipped ones too */
            max_trials?: number | null;
            max_trials_without_improvement?: number | null;
            /** @default 10 */
            max_reflection_examples?: number;
            /** @default 4000 */
            max_side_info_chars?: number;
            /** @default 0 */
            seed?: number;
            /** @description Of each sample */
            timeout_sec?: number | null;
            /** @description `from:to` renames a column, `name` keeps one */
            dataset_input_mapping?: string[] | null;
            task_refs?: string[] | null;
            val_task_refs?: string[] | null;
        };
        OptimizationJobCreateRequest: {
            name?: string | null;
            /**
             * @description `gepa` is taken as `optimizer_a`
             * @default optimizer_a
             * @enum {string}
             */
            backend?: "optimizer_a" | "gepa";
            /** @enum {string} */
            target_kind: "capability_agent" | "capability_env";
            /** @description A model of the gateway, such as `sim/instructed` */
            model: string;
            capability_ref: {
                name: string;
                version: string;
            };
            /** @description May be left out where the capability has one agent */
            agent_name?: string | null;
            /** @description `instructions` for capability_agent; for capability_env by default all that the capability has */
            components?: ("instructions" | "agent_prompt" | "capability_prompt" | "skill_descriptions" | "skill_bodies")[] | null;
            dataset_ref?: components["schemas"]["OptimizationDatasetRef"] | null;
            val_dataset_ref?: components["schemas"]["OptimizationDatasetRef"] | null;
            task_ref?: string | null;
            task_refs?: string[] | null;
            val_task_refs?: string[] | null;
            /** @description `name` or `org/name`: the tasks of a set, with an objective for each group: `safety` for regression tasks of the red team, `skill` for all others */
            task_set?: string | null;
            reward_recipe: components["schemas"]["RewardRecipe"];
            /** @description What to improve, in words; the reflection reads it */
            objective?: string | null;
            holdout_fraction?: number | null;
            timeout_sec?: number | null;
            config?: components["schemas"]["OptimizationJobConfigRequest"] | null;
            /** @description Key or id */
            project?: string | null;
            run_ref?: string | null;
            tags?: string[] | null;
        };
        OptimizationJobListResponse: {
            items: components["schemas"]["OptimizationJobResponse"][];
            total: number;
            /** @description 1-indexed */
            page: number;
            page_size: number;
        };
        OptimizationJobResponse: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** Format: uuid */
            workspace_id: string;
            name: string | null;
            /** @description `optimizer_a` */
            backend: string;
            /** @enum {string} */
            status: "pending" | "queued" | "running" | "completed" | "failed" | "cancelled";
            /** @enum {string} */
            target_kind: "capability_agent" | "capability_env";
            model: string;
            capability: {
                name: string;
                version: string;
                artifact_id: string | null;
                runtime_digest: string | null;
            };
            agent_name: string | null;
            components: ("instructions" | "agent_prompt" | "capability_prompt" | "skill_descriptions" | "skill_bodies")[];
            config: components["schemas"]["OptimizationJobConfig"];
            dataset_ref: {
                name: string;
                version: string;
                split?: string | null;
            } | null;
            val_dataset_ref: {
                name: string;
                version: string;
                split?: string | null;
            } | null;
            task_refs: string[] | null;
            val_task_refs: string[] | null;
            task_set: string | null;
            reward_recipe: {
                /** @enum {string} */
                name: "contains_v1" | "exact_match_v1" | "gsm8k_v1" | "row_reward_v1" | "trajectory_imitation_v1";
                params: {
                    [key: string]: unknown;
                };
            } | null;
            objective: string | null;
            holdout_fraction: number;
            project: string | null;
            run_ref: string | null;
            tags: string[];
            retry_of: string | null;
            summary: {
                best_candidate: {
                    [key: string]: string;
                } | null;
                best_score: number | null;
                /** @description Means of the metrics of its verifications */
                best_scores: {
                    [key: string]: number;
                };
                frontier_size: number;
                metadata: {
                    budget: components["schemas"]["OptimizationBudget"];
                    warnings: string[];
                    /** @description The last one that began, from 0; -1 before */
                    iteration: number;
                    candidate_count: number;
                    best_index: number | null;
                    seed_score: number | null;
                    holdout_size: number;
                    /** @description Of the best candidate, on rows that the engine never saw */
                    holdout_score: number | null;
                    seed_holdout_score: number | null;
                    stop_reason: string | null;
                    running_seconds: number;
                } & {
                    [key: string]: unknown;
                };
                objective: string | null;
                train_size: number;
                /** @description 0: the training set is the validation set */
                val_size: number;
            };
            /** @description By the number of metric calls; empty in lists */
            metrics: {
                [key: string]: components["schemas"]["OptimizationMetricPoint"][];
            };
            /** @description `promoted`: the capability versions made of it */
            artifacts: {
                [key: string]: unknown;
            };
            error: string | null;
            cancel_requested_at: string | null;
            started_at: string | null;
            completed_at: string | null;
            /** Format: date-time */
            created_at: string;
            created_by: string | null;
            created_by_email: string | null;
            created_by_user: components["schemas"]["UserIdentity"] | null;
        };
        OptimizationLogsResponse: {
            items: {
                seq: number;
                /** Format: date-time */
                timestamp: string;
                message: string;
            }[];
        };
        OptimizationMetricPoint: {
            value: number;
            step: number | null;
            timestamp: string | null;
        };
        OptimizationPromoteRequest: {
            version: string;
            /** @description Its index; the best by default. Needed while the job runs */
            candidate?: number | null;
            /** @description Id or name of a gate that the candidate must have passed, besides those that protect the capability */
            gate?: string | null;
        };
        OptimizationPromoteResponse: {
            name: string;
            version: string;
            from_version: string;
            candidate: number;
            /** @description On the validation set */
            score: number;
            holdout_score: number | null;
            changed_files: string[];
        };
        OptimizationProposal: {
            iteration: number;
            proposal: number;
            /**
             * @description `unfinished`: under way, or the job ended before it
             * @enum {string}
             */
            status: "accepted" | "rejected" | "unfinished";
            /** @description Of a rejection: not_better, perfect_score, no_traces, reflection_failed, unchanged, duplicate, merge_not_better */
            reason: string | null;
            /** @enum {string} */
            found_by: "reflection" | "merge";
            parents: number[];
            candidate_index: number | null;
            components: string[];
            /** @description The new texts of these components */
            texts: {
                [key: string]: string;
            } | null;
            /** @description The first parent's texts of these components */
            previous_texts: {
                [key: string]: string;
            } | null;
            minibatch: number[];
            parent_scores: number[] | null;
            child_scores: number[] | null;
            error: string | null;
            reflections: components["schemas"]["OptimizationReflection"][];
            /** @description All that was measured for it */
            evaluations: {
                /** @enum {string} */
                purpose: "parent" | "child" | "merge" | "validation" | "holdout";
                /** Format: uuid */
                evaluation_id: string;
                positions: number[];
                status: string;
                scored_count: number;
                cost_usd: number;
            }[];
            cost_usd: number;
            created_at: string | null;
        };
        OptimizationProposalListResponse: {
            items: components["schemas"]["OptimizationProposal"][];
            total: number;
            /** @description 1-indexed */
            page: number;
            page_size: number;
        };
        OptimizationReflection: {
            component: string;
            /** @description At most 20,000 characters of it; the session has all */
            prompt: string;
            /** @description At most 20,000 characters of it; null where the call failed */
            response: string | null;
            error: string | null;
            session_id: string | null;
            cost_usd: number;
        };
        OptimizationRejectedEvent: {
            iteration: number;
            proposal: number;
            parents: (number | null)[];
            components?: string[];
            parent_sum: number | null;
            child_sum: number | null;
            reason: string;
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
            iteration: number;
            index: number;
            mean: number;
            is_best: boolean;
        };
        Organization: {
            /** Format: uuid */
            id: string;
            key: string;
            name: string;
            description: string | null;
            is_active: boolean;
            member_count: number;
            /** @description Absent: no limit */
            max_members?: number;
            max_sandbox_runtime_seconds: number | null;
            default_sandbox_runtime_seconds: number | null;
            effective_max_sandbox_runtime_seconds: number;
            /** @enum {string} */
            max_sandbox_runtime_source_level: "l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default";
            effective_default_sandbox_runtime_seconds: number;
            /** @enum {string} */
            default_sandbox_runtime_source_level: "l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default";
            platform_max_sandbox_runtime_seconds: number;
            platform_default_sandbox_runtime_seconds: number;
            max_concurrent_sandboxes: number | null;
            trace_retention_days: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        OrganizationLink: {
            key: string;
            name: string;
        };
        OrganizationUpdateRequest: {
            name?: string;
            description?: string | null;
            /** @description Platform admins only; null: no limit */
            max_members?: number | null;
            max_sandbox_runtime_seconds?: number | null;
            default_sandbox_runtime_seconds?: number | null;
            /** @description null: no limit */
            max_concurrent_sandboxes?: number | null;
            trace_retention_days?: number;
        };
        OtlpAttribute: {
            key: string;
            value?: components["schemas"]["OtlpValue"];
        };
        OtlpResourceSpans: {
            resource?: {
                attributes?: components["schemas"]["OtlpAttribute"][];
                droppedAttributesCount?: number;
            };
            scopeSpans?: components["schemas"]["OtlpScopeSpans"][];
            schemaUrl?: string;
        };
        OtlpScopeSpans: {
            scope?: {
                name?: string;
                version?: string;
                attributes?: components["schemas"]["OtlpAttribute"][];
                droppedAttributesCount?: number;
            };
            spans?: components["schemas"]["OtlpSpan"][];
            schemaUrl?: string;
        };
        OtlpSpan: {
            /** @description 32 hexadecimal digits */
            traceId: string;
            /** @description 16 hexadecimal digits */
            spanId: string;
            /** @description 16 hexadecimal digits */
            parentSpanId?: string;
            traceState?: string;
            flags?: number;
            name?: string;
            /** @description 1 internal, 2 server, 3 client, 4 producer, 5 consumer */
            kind?: number;
            /** @description Nanoseconds since 1970: as text, or as a number */
            startTimeUnixNano?: string | number;
            /** @description Nanoseconds since 1970: as text, or as a number */
            endTimeUnixNano?: string | number;
            attributes?: components["schemas"]["OtlpAttribute"][];
            droppedAttributesCount?: number;
            events?: {
                /** @description Nanoseconds since 1970: as text, or as a number */
                timeUnixNano?: string | number;
                name?: string;
                attributes?: components["schemas"]["OtlpAttribute"][];
                droppedAttributesCount?: number;
            }[];
            droppedEventsCount?: number;
            links?: {
                /** @description 32 hexadecimal digits */
                traceId: string;
                /** @description 16 hexadecimal digits */
                spanId: string;
                traceState?: string;
                flags?: number;
                attributes?: components["schemas"]["OtlpAttribute"][];
                droppedAttributesCount?: number;
            }[];
            droppedLinksCount?: number;
            status?: {
                /** @description 1 ok, 2 error */
                code?: number;
                message?: string;
            };
        };
        /** @description One of these; none for an empty value */
        OtlpValue: {
            stringValue?: string;
            boolValue?: boolean;
            /** @description A 64-bit integer: as text, or as a number */
            intValue?: string | number;
            /** @description A number, or `NaN`, `Infinity`, `-Infinity` */
            doubleValue?: number | string;
            /** @description In base64 */
            bytesValue?: string;
            arrayValue?: {
                values?: components["schemas"]["OtlpValue"][];
            };
            kvlistValue?: {
                values?: components["schemas"]["OtlpAttribute"][];
            };
        };
        ProgramAgent: {
            command: string;
            env: {
                [key: string]: string;
            };
            setup: string | null;
        };
        Project: {
            /** Format: uuid */
            id: string;
            key: string;
            name: string;
            description: string | null;
            /** Format: uuid */
            workspace_id: string;
            is_default: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ProjectCreateRequest: {
            name: string;
            /** @description Omitted: made from the name */
            key?: string;
            description?: string | null;
        };
        ProjectUpdateRequest: {
            name?: string;
            description?: string | null;
        };
        PublishCheckpointRequest: {
            /** @description Of the model; by default the name of the job */
            name?: string | null;
            /** @description By default a pre-release such as 1.0.0-step.20 */
            version?: string | null;
        };
        PublishCheckpointResponse: {
            name: string;
            version: string;
            step: number;
        };
        QueryColumn: {
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
            columns: components["schemas"]["QueryColumn"][];
            /** @description Values in the order of the columns. Moments are UTC; what JSON has no value for (`NaN`, `Infinity`) is text */
            rows: unknown[][];
            row_count: number;
            /** @description There are more rows than `max_rows` */
            truncated: boolean;
            elapsed_ms: number;
        };
        QuerySchema: {
            dialect: string;
            /** @description What a query may be, and what becomes of it */
            rules: string[];
            tables: components["schemas"]["QueryTable"][];
        };
        QueryTable: {
            name: string;
            comment: string;
            columns: components["schemas"]["QueryTableColumn"][];
        };
        QueryTableColumn: {
            name: string;
            /** @description As DuckDB names it, such as `BIGINT` or `VARCHAR[]` */
            type: string;
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
            /** @enum {string} */
            state: "queued" | "running" | "completed" | "failed";
            /** @description null for the platform's own work */
            organization_id: string | null;
            /** @description What is worked on */
            resource_id: string | null;
            /** @description How often it failed since it last got on */
            failures: number;
            /** @description How often its worker died */
            lost_workers: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            starts_after: string;
            started_at: string | null;
            completed_at: string | null;
        };
        QueuedJobPage: {
            items: components["schemas"]["QueuedJob"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        RefreshRequest: {
            refresh_token: string;
        };
        RefreshResponse: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            expires_in: number;
            refresh_token: string;
            default_org?: components["schemas"]["OrganizationLink"];
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
            /** Format: uuid */
            finding_id: string;
            task_name: string;
            task_version: string;
            task_set: string;
            /** @description false: the task was there already */
            created: boolean;
        };
        ResponseRequest: {
            /** @description `provider/name`, as GET …/inference/v1/models lists them */
            model: string;
            /** @description A text, or items: messages, function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning */
            input: string | ({
                type?: string;
            } & {
                [key: string]: unknown;
            })[];
            instructions?: string | null;
            /** @description Answered as server-sent events while the model writes */
            stream?: boolean | null;
            /** @description Tools of type `function`, `custom`, or `namespace` with such tools */
            tools?: ({
                type?: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            tool_choice?: (string | ({
                type?: string;
            } & {
                [key: string]: unknown;
            })) | null;
            parallel_tool_calls?: boolean | null;
            text?: ({
                format?: ({
                    type?: string;
                } & {
                    [key: string]: unknown;
                }) | null;
            } & {
                [key: string]: unknown;
            }) | null;
            max_output_tokens?: number | null;
            temperature?: number | null;
            top_p?: number | null;
            reasoning?: ({
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
            name?: string | null;
            /** @description The target of the finding by default */
            target_config?: {
                [key: string]: unknown;
            } | null;
            target_model?: string | null;
            /** @description Of the attack; those of the finding by default */
            trials?: number | null;
        };
        RewardRecipe: {
            /** @enum {string} */
            name: "contains_v1" | "exact_match_v1" | "gsm8k_v1" | "row_reward_v1" | "trajectory_imitation_v1";
            /** @default {} */
            params?: {
                [key: string]: unknown;
            };
        };
        Runtime: {
            /** Format: uuid */
            id: string;
            key: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            status: "idle" | "running" | "paused";
            /** @description SHA-256 of the canonical JSON of its configuration */
            config_digest: string;
            config_version: string;
            /** Format: uuid */
            workspace_id: string;
            project_id: string | null;
            project_key: string | null;
            project_name: string | null;
            created_by: string | null;
            /** @description Whether you may operate it */
            owned_by_me: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            instance: components["schemas"]["RuntimeInstanceData"] | null;
        };
        RuntimeCapabilityBinding: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            artifact_id: string;
            /** @description Local name, or `owner/name` of another organization’s */
            capability_name: string;
            version: string;
            enabled: boolean;
            /** @description agents, tools, skills, hooks, mcp_servers, workers */
            component_counts: {
                [key: string]: number;
            };
            /** @description As they are in effect */
            flags: {
                [key: string]: boolean;
            };
            description: string | null;
            /** @description The newest release that there is for you */
            latest_version: string | null;
            /** @description `organization`: this one; `public`: another that has made it public */
            source: ("organization" | "public") | null;
        };
        RuntimeConfig: {
            /**
             * @default v2
             * @constant
             */
            version?: "v2";
            /** @default {} */
            build?: {
                /** @default default */
                profile?: string;
                /**
                 * @default auto
                 * @enum {string}
                 */
                provider?: "auto" | "container" | "hosted_sandbox";
                /** @default {} */
                source?: {
                    /** @default builtin */
                    kind?: string;
                    /** @default runtime */
                    ref?: string;
                };
            };
            capabilities?: {
                /** @description Local name, or `owner/name` of a public one */
                name: string;
                /**
                 * @description null: the newest release
                 * @default null
                 */
                version?: string | null;
                /** @default true */
                enabled?: boolean;
            }[];
            /** @default {} */
            defaults?: {
                /** @default null */
                agent?: string | null;
                /** @default null */
                capability?: string | null;
                /** @default null */
                model?: string | null;
                /** @default null */
                system_prompt?: string | null;
            };
            /** @default {} */
            metadata?: {
                labels?: {
                    [key: string]: string;
                };
            };
            /** @default {} */
            resources?: {
                /** @default 2 */
                cpu_cores?: number;
                /** @default 2048 */
                memory_mb?: number;
            };
            /** @default {} */
            runtime_server?: {
                env?: {
                    [key: string]: string;
                };
            };
            /** @default {} */
            sandbox?: {
                /** @description Hosts that may be reached over HTTP and HTTPS; absent: no network at all */
                egress_allow?: string[];
                /** @description Another form of egress_allow; give one of them */
                egress?: {
                    allow?: string[];
                } | null;
                /**
                 * @description What its programs reach of the platform, without a key: `inference` the models of the gateway, `full` also traces and sessions; absent: none
                 * @enum {string}
                 */
                platform_access?: "none" | "inference" | "full";
                /** @description Most that the model calls of one sandbox may cost; absent: no limit of its own */
                spend_limit_usd?: number;
                exposed_ports?: number[];
                /** @default null */
                timeout_seconds?: number | null;
                /** @default true */
                workspace_mount?: boolean;
            };
            /** @default {} */
            secrets?: {
                secret_ids?: string[];
            };
        };
        RuntimeConfigReplaceRequest: {
            /**
             * @default v2
             * @constant
             */
            version?: "v2";
            /** @default {} */
            build?: {
                /** @default default */
                profile?: string;
                /**
                 * @default auto
                 * @enum {string}
                 */
                provider?: "auto" | "container" | "hosted_sandbox";
                /** @default {} */
                source?: {
                    /** @default builtin */
                    kind?: string;
                    /** @default runtime */
                    ref?: string;
                };
            };
            capabilities?: {
                /** @description Local name, or `owner/name` of a public one */
                name: string;
                /**
                 * @description null: the newest release
                 * @default null
                 */
                version?: string | null;
                /** @default true */
                enabled?: boolean;
            }[];
            /** @default {} */
            defaults?: {
                /** @default null */
                agent?: string | null;
                /** @default null */
                capability?: string | null;
                /** @default null */
                model?: string | null;
                /** @default null */
                system_prompt?: string | null;
            };
            /** @default {} */
            metadata?: {
                labels?: {
                    [key: string]: string;
                };
            };
            /** @default {} */
            resources?: {
                /** @default 2 */
                cpu_cores?: number;
                /** @default 2048 */
                memory_mb?: number;
            };
            /** @default {} */
            runtime_server?: {
                env?: {
                    [key: string]: string;
                };
            };
            /** @default {} */
            sandbox?: {
                /** @description Hosts that may be reached over HTTP and HTTPS; absent: no network at all */
                egress_allow?: string[];
                /** @description Another form of egress_allow; give one of them */
                egress?: {
                    allow?: string[];
                } | null;
                /**
                 * @description What its programs reach of the platform, without a key: `inference` the models of the gateway, `full` also traces and sessions; absent: none
                 * @enum {string}
                 */
                platform_access?: "none" | "inference" | "full";
                /** @description Most that the model calls of one sandbox may cost; absent: no limit of its own */
                spend_limit_usd?: number;
                exposed_ports?: number[];
                /** @default null */
                timeout_seconds?: number | null;
                /** @default true */
                workspace_mount?: boolean;
            };
            /** @default {} */
            secrets?: {
                secret_ids?: string[];
            };
            /** @description Read where no other field is given */
            config?: components["schemas"]["RuntimeConfig"];
        };
        RuntimeConfigResponse: {
            /** @constant */
            version: "v2";
            build: {
                profile: string;
                /** @enum {string} */
                provider: "auto" | "container" | "hosted_sandbox";
                source: {
                    kind: string;
                    ref: string;
                };
            };
            capabilities: {
                name: string;
                version: string | null;
                enabled: boolean;
            }[];
            defaults: {
                agent: string | null;
                capability: string | null;
                model: string | null;
                system_prompt: string | null;
            };
            metadata: {
                labels: {
                    [key: string]: string;
                };
            };
            resources: {
                cpu_cores: number;
                memory_mb: number;
            };
            runtime_server: {
                /** @description The values are masked for everybody but the owner */
                env: {
                    [key: string]: string;
                };
            };
            sandbox: {
                egress_allow?: string[];
                /** @enum {string} */
                platform_access?: "none" | "inference" | "full";
                spend_limit_usd?: number;
                exposed_ports: number[];
                timeout_seconds: number | null;
                workspace_mount: boolean;
            };
            secrets: {
                secret_ids: string[];
            };
            /** Format: uuid */
            runtime_id: string;
            config_digest: string;
            /** @description The same as one document, with `sandbox.egress.allow` in place of `sandbox.egress_allow` */
            config: {
                /** @constant */
                version: "v2";
                build: {
                    profile: string;
                    /** @enum {string} */
                    provider: "auto" | "container" | "hosted_sandbox";
                    source: {
                        kind: string;
                        ref: string;
                    };
                };
                capabilities: {
                    name: string;
                    version: string | null;
                    enabled: boolean;
                }[];
                defaults: {
                    agent: string | null;
                    capability: string | null;
                    model: string | null;
                    system_prompt: string | null;
                };
                metadata: {
                    labels: {
                        [key: string]: string;
                    };
                };
                resources: {
                    cpu_cores: number;
                    memory_mb: number;
                };
                runtime_server: {
                    /** @description The values are masked for everybody but the owner */
                    env: {
                        [key: string]: string;
                    };
                };
                sandbox: {
                    egress?: {
                        allow: string[];
                    };
                    /** @enum {string} */
                    platform_access?: "none" | "inference" | "full";
                    spend_limit_usd?: number;
                    exposed_ports: number[];
                    timeout_seconds: number | null;
                    workspace_mount: boolean;
                };
                secrets: {
                    secret_ids: string[];
                };
            };
        };
        RuntimeCreateRequest: {
            name?: string | null;
            /** @description Omitted: made from the name; with neither, `default-` and your username */
            key?: string | null;
            description?: string | null;
            /** @description Project key or uuid */
            project?: string | null;
            requested_runtime_limit_seconds?: number | null;
            /** @default {} */
            config?: components["schemas"]["RuntimeConfig"];
        };
        RuntimeCreateResponse: {
            /** Format: uuid */
            id: string;
            key: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            status: "idle" | "running" | "paused";
            /** @description SHA-256 of the canonical JSON of its configuration */
            config_digest: string;
            config_version: string;
            /** Format: uuid */
            workspace_id: string;
            project_id: string | null;
            project_key: string | null;
            project_name: string | null;
            created_by: string | null;
            /** @description Whether you may operate it */
            owned_by_me: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
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
            duration_ms: number;
            timed_out: boolean;
        };
        RuntimeExecOutput: {
            /** @description What is no UTF-8 is shown as U+FFFD */
            data: string;
        };
        RuntimeExecRequest: {
            /** @description A string runs in `bash -c`, or in `sh -c` where there is no bash; an array is a program and its arguments */
            command: string | string[];
            /** @description Absolute; /workspace unless given, or / where that is not mounted */
            cwd?: string | null;
            /** @description Added to the environment of the sandbox, and wins over it */
            env?: {
                [key: string]: string;
            } | null;
            /** @description What the command reads; without it, nothing */
            stdin?: string | null;
            /** @description The same as bytes; not beside stdin */
            stdin_base64?: string | null;
            /** @description Then it is killed. 600 unless given, and at most for as long as the sandbox runs */
            timeout_seconds?: number | null;
            /** @description Answer with server-sent events, as with `Accept: text/event-stream` */
            stream?: boolean | null;
        };
        RuntimeExecResponse: {
            /** @description 127: no such program; 128 + n: ended by signal n */
            exit_code: number;
            /** @description More was written than is here */
            truncated: boolean;
            duration_ms: number;
            timed_out: boolean;
            /** @description At most 1 MiB; what is no UTF-8 is shown as U+FFFD */
            stdout: string;
            /** @description At most 1 MiB; what is no UTF-8 is shown as U+FFFD */
            stderr: string;
        };
        RuntimeFile: {
            /** @description Bytes that are no UTF-8 are shown as U+FFFD */
            name: string;
            /** @description Relative to /workspace */
            path: string;
            /** @enum {string} */
            type: "file" | "directory" | "symlink" | "other";
            size_bytes: number;
            /** Format: date-time */
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
            /** Format: uuid */
            sandbox_id: string;
            provider: string;
            provider_sandbox_id: string;
            /** @enum {string} */
            state: "running" | "paused" | "killed";
            /** Format: date-time */
            created_at: string;
            /** @description Without the time in which it was paused */
            total_runtime_seconds: number;
            sandbox_url: string | null;
            /** @description null while it does not run */
            expires_at: string | null;
            pause_reason: ("timeout" | "user" | "insufficient_credits" | "member_limit_exceeded") | null;
            /** @description Where it is false, a pause is refused as 409 */
            supports_pause: boolean;
            requested_runtime_limit_seconds: number | null;
            requested_runtime_limit_source_level: ("l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default" | "l4_requested") | null;
            configured_runtime_limit_seconds: number | null;
            configured_runtime_limit_source_level: ("l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default" | "l4_requested") | null;
            actual_runtime_limit_seconds: number | null;
            runtime_limited_by_credits: boolean;
            /** @description As in the ledger */
            billed_credits: number;
            /** @description Since the last billing */
            running_credits: number;
            /** @description Both, and what is left until it expires */
            estimated_total_credits: number;
        };
        RuntimeKeepAliveRequest: {
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
            items: components["schemas"]["Runtime"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        RuntimeProgress: {
            /** @description Its name, for programs */
            step: string;
            message: string;
        };
        RuntimeStartRequest: {
            secret_ids?: string[] | null;
            requested_runtime_limit_seconds?: number | null;
        };
        Sandbox: {
            /** Format: uuid */
            sandbox_id: string;
            provider: string;
            provider_sandbox_id: string;
            /** @enum {string} */
            state: "running" | "paused" | "killed";
            /** Format: date-time */
            created_at: string;
            /** @description Without the time in which it was paused */
            total_runtime_seconds: number;
            sandbox_url: string | null;
            /** @description null while it does not run */
            expires_at: string | null;
            pause_reason: ("timeout" | "user" | "insufficient_credits" | "member_limit_exceeded") | null;
            /** @description Where it is false, a pause is refused as 409 */
            supports_pause: boolean;
            requested_runtime_limit_seconds: number | null;
            requested_runtime_limit_source_level: ("l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default" | "l4_requested") | null;
            configured_runtime_limit_seconds: number | null;
            configured_runtime_limit_source_level: ("l1_platform_max" | "l1_platform_default" | "l2_org_max" | "l3_org_default" | "l4_requested") | null;
            actual_runtime_limit_seconds: number | null;
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
            /** Format: uuid */
            runtime_id: string;
            /** @description null: the runtime was deleted */
            runtime_key: string | null;
            runtime_name: string | null;
            /** Format: uuid */
            workspace_id: string;
            workspace_key: string;
            project_id: string | null;
            project_key: string | null;
            /** @description Its owner */
            created_by: components["schemas"]["UserIdentity"] | null;
            owned_by_me: boolean;
            /** @description Of the configuration that it was started with */
            config_digest: string;
            /** @description Those that are held */
            limits: {
                [key: string]: number;
            };
            ended_at: string | null;
            end_reason: string | null;
        };
        SandboxLogEntry: {
            number: number;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            kind: "lifecycle" | "egress";
            message: string;
            details: {
                [key: string]: unknown;
            };
        };
        SandboxLogPage: {
            items: components["schemas"]["SandboxLogEntry"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        SandboxPage: {
            items: components["schemas"]["Sandbox"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        SandboxProvider: {
            name: string;
            available: boolean;
            /** @description Why it is not available, and what to do about it */
            reason?: string;
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
            total_runtime_seconds: number;
        };
        ScopeEntry: {
            /** @enum {string} */
            resource: "user" | "organization" | "members" | "workspaces" | "projects" | "datasets" | "models" | "capabilities" | "tasks" | "task_sets" | "storage" | "sessions" | "traces" | "usage" | "exports" | "inference" | "runtimes" | "evaluations" | "training" | "optimization" | "airt";
            actions: string[];
        };
        Scorer: {
            /** @constant */
            type: "exact";
            /** @description Key of the score; the type by default */
            name?: string | null;
            value?: (string | number) | null;
            column?: string | null;
            /** @default false */
            ignore_case?: boolean;
            /** @default true */
            trim?: boolean;
        } | {
            /** @constant */
            type: "contains";
            /** @description Key of the score; the type by default */
            name?: string | null;
            value?: (string | number) | null;
            column?: string | null;
            /** @default false */
            ignore_case?: boolean;
        } | {
            /** @constant */
            type: "numeric";
            /** @description Key of the score; the type by default */
            name?: string | null;
            value?: (string | number) | null;
            column?: string | null;
            /**
             * @description Largest difference that is accepted
             * @default 0
             */
            tolerance?: number;
        } | {
            /** @constant */
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
            /** Format: uuid */
            id: string;
            name: string;
            masked_value: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        SecretCreateRequest: {
            name: string;
            value: string;
        };
        SecretListResponse: {
            secrets: components["schemas"]["Secret"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
        };
        SecretReplaceRequest: {
            /** @description Omitted: stays */
            name?: string;
            value: string;
        };
        ServeModelResponse: {
            /** @description For calls: `local/<name>@<version>` */
            id: string;
        };
        ServedModel: {
            /** @description `local/<name>@<version>`: the model in calls of the gateway and in evaluations */
            id: string;
            name: string;
            version: string;
            /** @description It is in the memory of this process; otherwise its next call starts it */
            running: boolean;
            /** Format: date-time */
            created_at: string;
        };
        SessionCompactedEvent: {
            up_to_seq: number;
            summary_seq: number;
            era: number;
        };
        SessionCreateRequest: {
            /**
             * Format: uuid
             * @description Made by you; saved again, the session changes
             */
            id: string;
            model: string;
            agent?: string | null;
            title?: string | null;
            labels?: {
                [key: string]: string[];
            } | null;
            /**
             * @description Your figure; it counts until messages are stored here
             * @default 0
             */
            message_count?: number;
            /**
             * @description Of the first save, for good
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
            group_id?: string | null;
            project_id?: string | null;
            runtime_id?: string | null;
        };
        SessionFacetsResponse: {
            agents: components["schemas"]["LabelFacetEntry"][];
            models: components["schemas"]["LabelFacetEntry"][];
            origins: components["schemas"]["LabelFacetEntry"][];
            /** @description Owners of sessions */
            users: components["schemas"]["UserFacetEntry"][];
            group_kinds: components["schemas"]["LabelFacetEntry"][];
            group_statuses: components["schemas"]["LabelFacetEntry"][];
            /** @description By key. At most 50000 values in all: those of most sessions */
            labels: {
                [key: string]: components["schemas"]["LabelFacetEntry"][];
            };
        };
        SessionGroupCreateRequest: {
            /** @enum {string} */
            kind: "worker_run" | "evaluation_item" | "workflow";
            /**
             * Format: uuid
             * @description Omitted: made here
             */
            id?: string;
            title?: string | null;
            /**
             * @description null: it has not begun
             * @default running
             */
            status?: ("running" | "completed" | "failed" | "cancelled") | null;
            worker?: string | null;
            capability?: string | null;
            capability_version?: string | null;
            evaluation_id?: string | null;
            evaluation_item_id?: string | null;
            evaluation_item_attempt_id?: string | null;
            runtime_id?: string | null;
            /** @description Omitted: when it begins */
            started_at?: string | null;
        };
        SessionGroupSummary: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "worker_run" | "evaluation_item" | "workflow";
            status: ("running" | "completed" | "failed" | "cancelled") | null;
            title: string | null;
            worker: string | null;
            capability: string | null;
            capability_version: string | null;
            evaluation_id: string | null;
            evaluation_item_id: string | null;
            evaluation_item_attempt_id: string | null;
            runtime_id: string | null;
            /** @description Sessions of the group that you can see; so for all its counts */
            session_count: number;
            /** @description Those that are neither archived nor frozen */
            active_session_count: number;
            message_count: number;
            total_tokens: number;
            started_at: string | null;
            completed_at: string | null;
            last_activity_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        SessionGroupUpdateRequest: {
            /** @description What has ended stays so */
            status?: ("running" | "completed" | "failed" | "cancelled") | null;
            title?: string | null;
            capability?: string | null;
            capability_version?: string | null;
            /** @description Omitted: when it begins */
            started_at?: string | null;
            /** @description Of a group that has ended. Omitted: when it ends */
            completed_at?: string | null;
        };
        /** @description A document in ATIF or in the form of Chat Completions */
        SessionImportRequest: {
            /** @enum {unknown} */
            schema_version?: "ATIF-v1.7";
            agent: {
                name: string;
                version: string;
                model_name?: string;
            };
            steps: {
                step_id: number;
                /** @enum {unknown} */
                source: "system" | "user" | "agent";
                message: string;
            }[];
        } | {
            messages: {
                /** @enum {unknown} */
                role: "system" | "user" | "assistant";
                content: string;
            }[];
        } | {
            /** @enum {unknown} */
            role: "system" | "user" | "assistant";
            content: string;
        }[] | {
            [key: string]: unknown;
        };
        SessionListResponse: {
            sessions: components["schemas"]["SessionResponse"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
        };
        SessionMessagesEvent: {
            first_seq: number;
            last_seq: number;
            messages: components["schemas"]["StoredMessage"][];
        };
        SessionResponse: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            user_id: string;
            /** Format: uuid */
            workspace_id: string;
            model: string;
            agent: string | null;
            title: string | null;
            /** @enum {string} */
            origin: "user" | "worker" | "eval" | "optimization" | "training" | "world";
            /** @enum {string} */
            visibility: "private" | "workspace";
            archived_at: string | null;
            frozen_at: string | null;
            frozen_by: ("evaluation" | "user") | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            last_message_at: string | null;
            message_count: number;
            recent_message_count: number | null;
            preview_text: string | null;
            labels: {
                [key: string]: string[];
            };
            created_by: components["schemas"]["UserIdentity"] | null;
            group_id: string | null;
            group: components["schemas"]["SessionGroupSummary"] | null;
            project_id: string | null;
            project_key: string | null;
            project_name: string | null;
            runtime_id: string | null;
            usage: components["schemas"]["SessionUsageResponse"];
        };
        SessionRewindRequest: {
            /** @description The first message that is taken back */
            from_seq: number;
        };
        SessionRewindResponse: {
            deleted_count: number;
            /** @description The last message that is left; 0 when none is */
            target_seq: number;
            /** @description Of the first message that was taken back */
            restored_content: string;
        };
        SessionRewoundEvent: {
            from_seq: number;
            deleted_count: number;
            target_seq: number;
        };
        SessionStateEvent: {
            title: string | null;
            model: string;
            agent: string | null;
            labels: {
                [key: string]: string[];
            };
            /** @enum {string} */
            visibility: "private" | "workspace";
            archived_at: string | null;
            frozen_at: string | null;
            frozen_by: ("evaluation" | "user") | null;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description A document in the format that was asked for */
        SessionTrajectory: {
            [key: string]: unknown;
        };
        SessionUpdateRequest: {
            title?: string | null;
            labels?: {
                [key: string]: string[];
            } | null;
            model?: string;
            agent?: string | null;
            /**
             * @description What is visible in the workspace stays so
             * @enum {string}
             */
            visibility?: "private" | "workspace";
            project_id?: string | null;
        };
        SessionUsageResponse: {
            compaction_count: number;
            /** @description Messages of the current era */
            current_message_count: number;
            current_input_tokens: number;
            current_output_tokens: number;
            current_cache_read_input_tokens: number;
            current_cache_creation_input_tokens: number;
            current_tool_call_count: number;
            /** @description null when a generation has no cost */
            current_cost_usd: number | null;
            /** @description Messages of all eras */
            total_message_count: number;
            total_input_tokens: number;
            total_output_tokens: number;
            total_cache_read_input_tokens: number;
            total_cache_creation_input_tokens: number;
            total_tool_call_count: number;
            /** @description null when a generation has no cost */
            total_cost_usd: number | null;
            last_generation_input_tokens: number | null;
        };
        SignupRequest: {
            email_address: string;
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
            parent_span_id: string | null;
            /** @description Whether a span that you see has it as its parent */
            has_children: boolean;
            name: string;
            /** @enum {string} */
            kind: "unspecified" | "internal" | "server" | "client" | "producer" | "consumer";
            /** @enum {string} */
            span_type: "span" | "llm" | "agent" | "tool" | "chain" | "retriever" | "embedding" | "reranker" | "guardrail" | "evaluator" | "prompt" | "task" | "evaluation" | "study" | "trial" | "sample" | "transform";
            /** Format: date-time */
            start_time: string;
            /** Format: date-time */
            end_time: string;
            /** @description Nanoseconds since 1970 */
            start_time_unix_nano: string;
            /** @description Nanoseconds since 1970 */
            end_time_unix_nano: string;
            /** @description With a fraction, to the nanosecond; 0 where it ended before it began */
            duration_ms: number;
            status: {
                /** @enum {string} */
                code: "unset" | "ok" | "error";
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
            /** @description The one that answered, else the one that was asked for */
            model: string | null;
            agent_name: string | null;
            tool_name: string | null;
            /** @description As the span gives it */
            conversation_id: string | null;
            /** @description The session of its sender with that id, if there is one */
            session_id: string | null;
            /** @description The project that its resource names, if there still is one */
            project_id: string | null;
            /**
             * Format: uuid
             * @description Whose credential sent it
             */
            user_id: string;
            /** @description Cached ones included */
            input_tokens: number | null;
            output_tokens: number | null;
            /** @description Of input_tokens: read from a cache */
            cache_read_input_tokens: number | null;
            /** @description Of input_tokens: written to a cache */
            cache_creation_input_tokens: number | null;
            /** @description US dollars: as the span gives it, else by the price list; null when neither knows */
            cost_usd: number | null;
            /** @description What the model was given, read from attributes and events */
            input_messages: components["schemas"]["SpanMessage"][];
            /** @description What it answered */
            output_messages: components["schemas"]["SpanMessage"][];
            /** @description Every digit of a number as it was sent */
            attributes: {
                [key: string]: unknown;
            };
            events: components["schemas"]["SpanEvent"][];
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
            name: string;
            /** @description Every digit of a number as it was sent */
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
            trace_state: string;
            flags: number;
            /** @description Every digit of a number as it was sent */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Not sent, because there were too many */
            dropped_attributes_count: number;
        };
        SpanMessage: {
            role: string;
            /** @description Text; a list of parts where there is more than text; null where there is none */
            content: unknown;
            tool_calls?: components["schemas"]["SpanToolCall"][];
            tool_call_id?: string;
            name?: string;
        };
        SpanPage: {
            items: components["schemas"]["Span"][];
            /** @description null at the end */
            next_cursor: string | null;
        };
        SpanResource: {
            /** @description Every digit of a number as it was sent */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Not sent, because there were too many */
            dropped_attributes_count: number;
            schema_url: string;
        };
        SpanScope: {
            name: string;
            version: string;
            /** @description Every digit of a number as it was sent */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Not sent, because there were too many */
            dropped_attributes_count: number;
            schema_url: string;
        };
        SpanToolCall: {
            id: string | null;
            name: string | null;
            /** @description As the model gave them */
            arguments: unknown;
        };
        StorageCredentialsResponse: {
            access_key_id: string;
            secret_access_key: string;
            session_token: string;
            bucket: string;
            /** @description Every key must begin with it; the store refuses all others */
            prefix: string;
            region: string;
            /** @description null: the one that an S3 client knows for the region */
            endpoint: string | null;
            /** Format: date-time */
            expiration: string;
        };
        StorageUsage: {
            items: {
                /** @enum {string} */
                kind: "objects" | "registry" | "runtimes" | "spans";
                used_bytes: number;
                /** @description null: as much as there is room for */
                limit_bytes: number | null;
            }[];
        };
        StoredMessage: {
            id: string;
            parent_id: string | null;
            /** @enum {string} */
            role: "system" | "user" | "assistant" | "tool";
            content: string;
            tool_calls: {
                id: string;
                name: string;
                arguments: string;
            }[] | null;
            tool_call_id: string | null;
            /** @description The session's when the message was stored; of the assistant only */
            model: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            usage: {
                input_tokens: number;
                output_tokens: number;
                cache_read_input_tokens: number;
                cache_creation_input_tokens: number;
                cost_usd: number | null;
            } | null;
            seq: number;
            /** @description How many compactions lie below it */
            era: number;
            /** @description Of a summary: it stands for the messages up to this one */
            compacted_up_to_seq: number | null;
            /** Format: date-time */
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
            version: string;
            summary: string | null;
            tags: string[] | null;
            /** Format: date-time */
            created_at: string;
            download_count: number;
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            version_count: number;
            difficulty: string | null;
            source: string | null;
            verification_method: string | null;
            has_solution: boolean;
            timeout_seconds: number | null;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
            /** Format: uuid */
            organization_id: string;
            org_key: string;
            /** @description Over the manifest and the files, in hexadecimal */
            digest: string;
            manifest: {
                [key: string]: unknown;
            };
            file_count: number;
            /** @description Who published this version; for members only */
            created_by_user: components["schemas"]["UserIdentity"] | null;
        };
        TaskListResponse: {
            tasks: components["schemas"]["TaskSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
        };
        TaskSetCreateRequest: {
            description?: string | null;
            /** @description In this order; none twice */
            members: (string | components["schemas"]["TaskSetMemberRequest"])[];
            source?: string | null;
            tags?: string[] | null;
            name: string;
            is_public?: boolean | null;
        };
        TaskSetDetail: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            source: string | null;
            tags: string[] | null;
            is_public: boolean;
            member_count: number;
            organization_id: string | null;
            org_key: string | null;
            /** @description null for who is no member of the organization */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            members: components["schemas"]["TaskSetMember"][];
            unresolvable_count: number;
            /** @description Whether the task of every member is public */
            publicly_runnable: boolean;
            /** @description The members of a public set that others cannot run */
            warnings: string[];
        };
        TaskSetListResponse: {
            task_sets: components["schemas"]["TaskSetSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
        };
        TaskSetMember: {
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
            notes: string | null;
            unresolvable_reason: ("not_found" | "version_not_found") | null;
        };
        TaskSetMemberRequest: {
            /** @description `name`, in the organization of the set, or `org/name` */
            task_name: string;
            /** @description Omitted: the newest release, whenever the set is read */
            task_version?: string | null;
            notes?: string | null;
        };
        TaskSetReplaceRequest: {
            description?: string | null;
            /** @description In this order; none twice */
            members: (string | components["schemas"]["TaskSetMemberRequest"])[];
            source?: string | null;
            tags?: string[] | null;
        };
        TaskSetSummary: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            source: string | null;
            tags: string[] | null;
            is_public: boolean;
            member_count: number;
            organization_id: string | null;
            org_key: string | null;
            /** @description null for who is no member of the organization */
            created_by_user: components["schemas"]["UserIdentity"] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TaskSetVisibilityResponse: {
            /** @description The new state */
            is_public: boolean;
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
            version: string;
            summary: string | null;
            tags: string[] | null;
            /** Format: date-time */
            created_at: string;
            download_count: number;
            is_public: boolean;
            /**
             * Format: date-time
             * @description When a version, an alias or the visibility last changed
             */
            updated_at: string;
            version_count: number;
            difficulty: string | null;
            source: string | null;
            verification_method: string | null;
            has_solution: boolean;
            timeout_seconds: number | null;
            /** @description Sum of all files, unpacked */
            file_size_bytes: number;
        };
        TeamEntry: {
            /** Format: uuid */
            team_id: string;
            team_name: string;
            /**
             * @description An admin is a member with is_admin
             * @enum {string}
             */
            role: "owner" | "member";
            org_id: string | null;
            org_name: string | null;
            member_id: string | null;
            is_admin: boolean | null;
            is_owner: boolean | null;
        };
        ToolCall: {
            id: string;
            name: string;
            /** @description What the model wrote: JSON, as a rule */
            arguments: string;
        };
        TraceListResponse: {
            traces: components["schemas"]["TraceSummary"][];
            /** @description Items matching the query */
            total: number;
            /** @description 1-indexed */
            page: number;
            limit: number;
            total_pages: number;
            has_next: boolean;
            has_previous: boolean;
        };
        TraceStats: {
            /** @description 32 hexadecimal digits */
            trace_id: string;
            span_count: number;
            error_count: number;
            /** @description From the beginning of its first span to the end of its last */
            duration_ms: number;
            /** @description Cached ones included */
            input_tokens: number;
            output_tokens: number;
            /** @description Of input_tokens: read from a cache */
            cache_read_input_tokens: number;
            /** @description Of input_tokens: written to a cache */
            cache_creation_input_tokens: number;
            /** @description US dollars; null when something with tokens has no known cost */
            cost_usd: number | null;
            by_type: {
                /** @enum {string} */
                span_type: "span" | "llm" | "agent" | "tool" | "chain" | "retriever" | "embedding" | "reranker" | "guardrail" | "evaluator" | "prompt" | "task" | "evaluation" | "study" | "trial" | "sample" | "transform";
                span_count: number;
                error_count: number;
                /** @description Of each span by itself, whether or not others ran meanwhile */
                total_duration_ms: number;
                min_duration_ms: number;
                p50_duration_ms: number;
                p95_duration_ms: number;
                max_duration_ms: number;
                /** @description Cached ones included */
                input_tokens: number;
                output_tokens: number;
                /** @description Of input_tokens: read from a cache */
                cache_read_input_tokens: number;
                /** @description Of input_tokens: written to a cache */
                cache_creation_input_tokens: number;
                /** @description US dollars; null when something with tokens has no known cost */
                cost_usd: number | null;
            }[];
            by_model: {
                model: string;
                span_count: number;
                error_count: number;
                /** @description Cached ones included */
                input_tokens: number;
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
            span_count: number;
            /** @description Spans with the status `error` */
            error_count: number;
            span_types: ("span" | "llm" | "agent" | "tool" | "chain" | "retriever" | "embedding" | "reranker" | "guardrail" | "evaluator" | "prompt" | "task" | "evaluation" | "study" | "trial" | "sample" | "transform")[];
            /** @description By name; at most fifty of a session */
            models: string[];
            /** @description Cached ones included */
            input_tokens: number;
            output_tokens: number;
            /** @description Of input_tokens: read from a cache */
            cache_read_input_tokens: number;
            /** @description Of input_tokens: written to a cache */
            cache_creation_input_tokens: number;
            /** @description US dollars; null when something with tokens has no known cost */
            cost_usd: number | null;
        };
        TrainingArtifactsResponse: {
            artifacts: {
                /** @description The version that the end of the job published */
                model: {
                    model: string;
                    version: string;
                    step: number;
                    is_final: boolean;
                    published_at: string | null;
                } | null;
                published: {
                    model: string;
                    version: string;
                    step: number;
                    is_final: boolean;
                    published_at: string | null;
                }[];
                checkpoints: {
                    step: number;
                    size_bytes: number;
                    digest: string;
                }[];
                lineage: {
                    [key: string]: unknown;
                };
            };
        };
        TrainingBackendsResponse: {
            backends: {
                backend: string;
                trainer_types: string[];
                engine: string | null;
                /** @description A trainer has asked for jobs within the last minute, or one is started when a job waits */
                available: boolean;
                /** @description Why it is not available, and what to do */
                reason: string | null;
            }[];
            workers: {
                name: string;
                engines: string[];
                resources: {
                    [key: string]: unknown;
                };
                /** Format: date-time */
                seen_at: string;
                job_id: string | null;
            }[];
            local_trainer: {
                installed: boolean;
                detail: string;
            };
            queued_jobs: number;
        };
        TrainingCancelRequestedEvent: {
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            worker: string | null;
            attempt: number;
        };
        TrainingCancelledEvent: Record<string, never>;
        TrainingCatalogResponse: {
            models: {
                /** @description For `model` of a job */
                name: string;
                version: string;
                summary: string | null;
                architecture: string | null;
                size_bytes: number;
                backends: string[];
                trainer_types: string[];
            }[];
            total: number;
            limit: number;
        };
        TrainingCheckpointEvent: {
            step: number;
            metrics: {
                [key: string]: number;
            };
        };
        TrainingCheckpointRequest: {
            attempt: number;
            step: number;
            files: {
                path: string;
                size_bytes: number;
                sha256: string;
            }[];
        };
        TrainingCheckpointUploads: {
            files: {
                path: string;
                parts: {
                    offset: number;
                    size_bytes: number;
                    url: string;
                }[];
            }[];
        };
        TrainingCheckpointsResponse: {
            items: {
                step: number;
                attempt: number;
                metrics: {
                    [key: string]: number;
                };
                size_bytes: number;
                /** @description Over the paths and digests of its files */
                digest: string;
                /** @description It holds an adapter, so that it can be published */
                servable: boolean;
                published: {
                    model: string;
                    version: string;
                    step: number;
                    is_final: boolean;
                    published_at: string | null;
                }[];
                /** Format: date-time */
                created_at: string;
            }[];
        };
        TrainingClaimRequest: {
            /** @description A name of the trainer that is unique in the workspace */
            worker: string;
            engines: string[];
            /** @constant */
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
                /** Format: uuid */
                id: string;
                attempt: number;
                name: string | null;
                backend: string;
                trainer_type: string;
                engine: string;
                lease: {
                    seconds: number;
                };
                capability: {
                    name: string;
                    version: string;
                    /** @description For every example without a system message */
                    system_prompt: string | null;
                };
                config: {
                    [key: string]: unknown;
                };
                model: {
                    reference: string;
                    /** @description null: not of the registry; the trainer decides whether it has it */
                    files: components["schemas"]["TrainingFileLink"][] | null;
                };
                datasets: {
                    /** @enum {string} */
                    role: "train" | "eval" | "trajectories";
                    name: string;
                    version: string;
                    split: string;
                    /** @enum {string} */
                    format: "jsonl" | "csv" | "parquet";
                    row_count: number;
                    file: components["schemas"]["TrainingFileLink"];
                }[];
                /** @description Where to continue */
                checkpoint: {
                    step: number;
                    files: {
                        path: string;
                        size_bytes: number;
                        sha256: string;
                        parts: {
                            size_bytes: number;
                            url: string;
                        }[];
                    }[];
                } | null;
            } | null;
        };
        TrainingClaimedEvent: {
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            worker: string | null;
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
            /** @description Tokens of an example, 2048 by default; the rest is cut off and counted */
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
            version: string;
            /** @description `train`, or `validation` for the evaluation, where there are several */
            split?: string | null;
        };
        TrainingEndEvent: {
            step: number;
            checkpoint_step: number;
            metrics: {
                [key: string]: number;
            };
        };
        TrainingErrorEvent: {
            kind: string;
            field?: string | null;
            message: string;
        };
        TrainingEstimateResponse: {
            /** @description Rows of all datasets that are trained on */
            examples: number;
            /** @description Of one epoch, about: a token for every four characters */
            tokens: number;
            steps: number;
            /** @description Rows that are probably longer than max_sequence_length */
            truncated_examples: number;
            longest_rows: {
                dataset: string;
                row: number;
                tokens: number;
            }[];
            /** @description Of a trainer, about; null for a model that is not in the registry */
            memory_bytes: number | null;
            /** @description The figures of larger datasets are extrapolated from these rows */
            rows_read: number;
            effective_config: {
                [key: string]: unknown;
            };
        };
        TrainingEvaluationEvent: {
            step: number;
            metrics: {
                [key: string]: number;
            };
        };
        TrainingFileLink: {
            path: string;
            size_bytes: number;
            sha256: string;
            url: string;
        };
        TrainingFilesRequest: {
            attempt: number;
        };
        TrainingFilesResponse: {
            model: {
                reference: string;
                /** @description null: not of the registry; the trainer decides whether it has it */
                files: components["schemas"]["TrainingFileLink"][] | null;
            };
            datasets: {
                /** @enum {string} */
                role: "train" | "eval" | "trajectories";
                name: string;
                version: string;
                split: string;
                /** @enum {string} */
                format: "jsonl" | "csv" | "parquet";
                row_count: number;
                file: components["schemas"]["TrainingFileLink"];
            }[];
            /** @description Where to continue */
            checkpoint: {
                step: number;
                files: {
                    path: string;
                    size_bytes: number;
                    sha256: string;
                    parts: {
                        size_bytes: number;
                        url: string;
                    }[];
                }[];
            } | null;
        };
        TrainingJobCreateRequest: {
            /** @description The model version that the job publishes is named for it */
            name?: string | null;
            /**
             * @description `tinker` is taken as `hosted_a`, `ray` as `hosted_b`
             * @default hosted_a
             * @enum {string}
             */
            backend?: "hosted_a" | "hosted_b" | "tinker" | "ray";
            /**
             * @default sft
             * @enum {string}
             */
            trainer_type?: "sft" | "rl";
            /** @description `org/name@version` of the registry, or a name that a trainer knows */
            model: string;
            capability_ref: {
                name: string;
                version: string;
            };
            config: components["schemas"]["TrainingConfigRequest"];
            /** @description Key or id of a project */
            project_ref?: string | null;
            run_ref?: string | null;
            tags?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        TrainingJobEndedEvent: {
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            error: string | null;
        };
        TrainingJobListResponse: {
            items: components["schemas"]["TrainingJobResponse"][];
            total: number;
            /** @description 1-indexed */
            page: number;
            page_size: number;
        };
        TrainingJobResponse: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** Format: uuid */
            workspace_id: string;
            name: string | null;
            /** @description `hosted_a` */
            backend: string;
            /** @enum {string} */
            trainer_type: "sft" | "rl";
            algorithm: ("grpo" | "importance_sampling" | "ppo") | null;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            model: string;
            capability: {
                name: string;
                version: string;
                artifact_id: string | null;
                runtime_digest: string | null;
            };
            /** @description As it was sent */
            config: {
                [key: string]: unknown;
            };
            dataset_ref: {
                name: string;
                version: string;
                split?: string | null;
            } | null;
            prompt_dataset_ref: {
                name: string;
                version: string;
                split?: string | null;
            } | null;
            trajectory_dataset_refs: {
                name: string;
                version: string;
                split?: string | null;
            }[];
            /** @description `effective_config`, figures, and curves of at most 500 points; lists have no curves */
            metrics: {
                [key: string]: unknown;
            };
            /** @description `model`: the version that the end of the job published; `published`: all versions */
            artifacts: {
                [key: string]: unknown;
            };
            project_ref: string | null;
            run_ref: string | null;
            task_ref: string | null;
            tags: string[];
            retry_of: string | null;
            /** @description The trainer that has, or had, the job */
            worker: string | null;
            /** @description How often a trainer has claimed it */
            attempt: number;
            /** @description The last step that was reported */
            step: number;
            error: string | null;
            /** @description Why no trainer gets the job while it is queued */
            waiting_reason: string | null;
            cancel_requested_at: string | null;
            started_at: string | null;
            completed_at: string | null;
            /** Format: date-time */
            created_at: string;
            created_by: string | null;
            created_by_email: string | null;
            created_by_user: components["schemas"]["UserIdentity"] | null;
        };
        TrainingLogsResponse: {
            items: {
                /** Format: uuid */
                id: string;
                /** Format: date-time */
                timestamp: string;
                /** @enum {string} */
                level: "debug" | "info" | "warning" | "error";
                message: string;
                data: {
                    [key: string]: unknown;
                } | null;
            }[];
        };
        TrainingMetricsResponse: {
            series: {
                [key: string]: {
                    steps: number[];
                    values: number[];
                    /** @description Points that are stored */
                    total: number;
                };
            };
        };
        TrainingProgressRequest: {
            attempt: number;
            records: (({
                seq: number;
                /** Format: date-time */
                timestamp: string;
                /** @constant */
                type: "training_start";
                step: number;
                total_steps: number;
                num_examples: number;
                num_tokens: number;
                /** @default 0 */
                truncated_examples?: number;
                /** @default 0 */
                skipped_examples?: number;
                /** @default {} */
                engine?: {
                    [key: string]: unknown;
                };
                /** @default {} */
                libraries?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            }) | {
                seq: number;
                /** Format: date-time */
                timestamp: string;
                /** @constant */
                type: "step_complete";
                step: number;
                epoch: number;
                num_tokens_processed: number;
                metrics: {
                    [key: string]: number;
                };
            } | {
                seq: number;
                /** Format: date-time */
                timestamp: string;
                /** @constant */
                type: "eval_complete";
                step: number;
                metrics: {
                    [key: string]: number;
                };
            } | {
                seq: number;
                /** Format: date-time */
                timestamp: string;
                /** @constant */
                type: "checkpoint_saved";
                step: number;
                /** @default {} */
                metrics?: {
                    [key: string]: number;
                };
            } | {
                seq: number;
                /** Format: date-time */
                timestamp: string;
                /** @constant */
                type: "log";
                /** @enum {string} */
                level: "debug" | "info" | "warning" | "error";
                message: string;
                data?: {
                    [key: string]: unknown;
                } | null;
            } | {
                seq: number;
                /** Format: date-time */
                timestamp: string;
                /** @constant */
                type: "training_error";
                /** @enum {string} */
                kind: "refused" | "bad_data" | "out_of_memory" | "nan_loss" | "disk_full" | "error";
                field?: string | null;
                message: string;
            } | {
                seq: number;
                /** Format: date-time */
                timestamp: string;
                /** @constant */
                type: "training_end";
                step: number;
                checkpoint_step: number;
                /** @default {} */
                metrics?: {
                    [key: string]: number;
                };
            } | {
                seq: number;
                /** Format: date-time */
                timestamp: string;
                /** @constant */
                type: "cancelled";
            })[];
        };
        TrainingProgressResponse: {
            /** @enum {string} */
            action: "continue" | "cancel";
            /** @description Records before it are stored */
            next_seq: number;
            lease: {
                seconds: number;
            };
        };
        TrainingRolloutsResponse: {
            items: {
                step: number;
                /** Format: uuid */
                session_id: string;
                reward: number | null;
            }[];
        };
        TrainingStartEvent: {
            step: number;
            total_steps: number;
            num_examples: number;
            num_tokens: number;
        } & {
            [key: string]: unknown;
        };
        TrainingStepEvent: {
            step: number;
            epoch: number;
            num_tokens_processed: number;
            metrics: {
                [key: string]: number;
            };
        };
        TrainingWorkerLostEvent: {
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            worker: string | null;
            attempt: number;
        };
        TranscriptAppendRequest: {
            messages: components["schemas"]["Message"][];
            context?: components["schemas"]["TranscriptContext"] | null;
        };
        TranscriptAppendResponse: {
            session: components["schemas"]["SessionResponse"];
            /** @description In the order in which they were given, known ones too */
            messages: {
                id: string;
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
            summary: {
                id: string;
                seq: number;
            };
            /** @description The one that begins */
            era: number;
        };
        TranscriptContext: {
            model: string;
            /** @description Absent keeps, null clears; so for the others */
            agent?: string | null;
            /** @description In force from the first of the new messages on */
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
            current_system_prompt: string | null;
            has_more: boolean;
        };
        TransformPreviewRequest: {
            text: string;
            params?: {
                [key: string]: unknown;
            } | null;
        };
        TransformPreviewResponse: {
            text: string;
        };
        TrialEvidence: {
            /** @description From 1, by score */
            rank: number;
            candidate: string;
            transformed_prompt: string;
            response: string;
            judge_reasoning: string;
            trial_index: number;
            trial_status: string;
            score: number;
            is_jailbreak: boolean;
            execution_time_s: number;
            span_id: string;
        };
        TrialListResponse: {
            items: components["schemas"]["AirtTrial"][];
            total: number;
            page: number;
            page_size: number;
        };
        UpdateAssessmentRequest: {
            name?: string | null;
            description?: string | null;
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
            finding_status?: ("open" | "false_positive" | "accepted_risk" | "remediated" | "incorrect_scoring") | null;
            finding_type?: ("jailbreak" | "partial" | "refusal" | "error" | "evasion" | "degradation" | "robust") | null;
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
            message: string;
        };
        UserFacetEntry: {
            /** Format: uuid */
            id: string;
            username: string;
            email: string;
            full_name: string | null;
            count: number;
        };
        UserIdentity: {
            /** Format: uuid */
            id: string;
            username: string;
            email: string;
            full_name: string | null;
        };
        UserLimits: {
            /** Format: uuid */
            user_id: string;
            /** @description Bytes: the fullest quota of the organizations below */
            storage?: {
                used: number;
                limit: number | null;
            } | null;
            /** @description Bytes that each organization of the user stores, by kind */
            organizations?: {
                used: number;
                limit: number | null;
                /** Format: uuid */
                org_id: string;
                /** @enum {string} */
                kind: "objects" | "registry" | "runtimes" | "spans";
            }[] | null;
            tracked_hours?: {
                used: number;
                limit: number | null;
            } | null;
            has_warnings: boolean;
            has_exceeded: boolean;
            /** Format: date-time */
            checked_at: string;
        };
        UserResponse: {
            /** Format: uuid */
            id: string;
            username: string;
            email_address: string;
            /** @description Whether the user opted in to product email */
            email_opt_in: boolean;
            onboarding_complete: boolean;
            is_platform_admin: boolean;
            features: string[] | null;
            first_name: string | null;
            last_name: string | null;
            full_name: string | null;
            groups: {
                /** Format: uuid */
                id: string;
                name: string;
            }[] | null;
            /** @description One entry per organization */
            teams: components["schemas"]["TeamEntry"][] | null;
            limits: components["schemas"]["UserLimits"] | null;
        };
        UserUpdateRequest: {
            username?: string;
            first_name?: string | null;
            last_name?: string | null;
            email_opt_in?: boolean;
            /** @description A new password; ends all other logins */
            password?: string;
            /** @description Needed with a new password */
            current_password?: string;
        };
        ValidationErrorItem: {
            /** @description Where it failed, starting with body, query, path or header */
            loc: (string | number)[];
            msg: string;
            /** @description Machine-readable validation error type */
            type: string;
        };
        Workspace: {
            /** Format: uuid */
            id: string;
            key: string;
            name: string;
            description: string | null;
            /** Format: uuid */
            org_id: string;
            is_default: boolean;
            /** @description Seen only by its listed members and the admins of the organization */
            is_restricted: boolean;
            /** @description Whether recorded model calls keep prompts and responses, or only roles, tools, usage and cost */
            record_content: boolean;
            project_count: number;
            /** Format: uuid */
            created_by: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        WorkspaceCreateRequest: {
            name: string;
            /** @description Omitted: made from the name */
            key?: string;
            description?: string | null;
            /** @default false */
            is_restricted?: boolean;
            /** @default true */
            record_content?: boolean;
        };
        WorkspaceMember: {
            /** Format: uuid */
            user_id: string;
            /** @enum {string} */
            role: "admin" | "contributor" | "reader";
            user: components["schemas"]["UserIdentity"];
            /** Format: date-time */
            created_at: string;
        };
        WorkspaceMemberRequest: {
            /** @enum {string} */
            role: "admin" | "contributor" | "reader";
        };
        WorkspaceUpdateRequest: {
            name?: string;
            description?: string | null;
            is_restricted?: boolean;
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
                kind?: string;
                state?: "queued" | "running" | "completed" | "failed";
                limit?: number;
                /** @description next_cursor of the answer before */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description 1-indexed */
                page?: number;
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
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
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Only what this user did */
                actor?: string;
                /** @description Exactly this action, such as member.added */
                action?: string;
                /** @description Exactly this resource, such as members/{user_id} */
                resource?: string;
                /** @description Inclusive */
                from?: string;
                /** @description Inclusive */
                to?: string;
                limit?: number;
                /** @description next_cursor of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Organization slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
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
                /** @description Organization slug */
                org: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
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
                /** @description Organization slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Project key or uuid */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Project key or uuid */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Project key or uuid */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Exact name, with or without its organization */
                name?: string;
                /** @description Part of the name or the summary, whatever its case */
                search?: string;
                /** @description With at least one of these */
                tags?: string[];
                /** @description Any of these */
                license?: string[];
                /** @description With at least one of these */
                task_categories?: string[];
                /** @description Any of these */
                size_category?: string[];
                /** @description With a split in any of these formats: `jsonl`, `csv`, `parquet` */
                format?: string[];
                sort_by?: "name" | "created_at" | "updated_at" | "file_size_bytes";
                sort_dir?: "asc" | "desc";
                /** @description 1-indexed */
                page?: number;
                limit?: number;
                /** @description Also what other organizations made public */
                include_public?: boolean;
                /** @description Only what you published first */
                mine?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
                version: string;
                /** @description Of the file; may hold slashes */
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
                /** @description Exact name, with or without its organization */
                name?: string;
                /** @description Part of the name or the summary, whatever its case */
                search?: string;
                /** @description With at least one of these */
                tags?: string[];
                /** @description Any of these */
                license?: string[];
                /** @description With at least one of these */
                task_categories?: string[];
                /** @description Any of these */
                framework?: string[];
                /** @description Any of these */
                size_category?: string[];
                sort_by?: "name" | "created_at" | "updated_at" | "file_size_bytes";
                sort_dir?: "asc" | "desc";
                /** @description 1-indexed */
                page?: number;
                limit?: number;
                /** @description Also what other organizations made public */
                include_public?: boolean;
                /** @description Only what you published first */
                mine?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
                /** @description Version, or an alias of one */
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
                /** @description Version, or an alias of one */
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
                /** @description Version, or an alias of one */
                version: string;
                /** @description Of the file; may hold slashes */
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
                /** @description Exact name, with or without its organization */
                name?: string;
                /** @description Part of the name or the summary, whatever its case */
                search?: string;
                /** @description With at least one of these */
                tags?: string[];
                /** @description Any of these */
                difficulty?: string[];
                /** @description Any of these */
                source?: string[];
                sort_by?: "name" | "created_at" | "updated_at" | "file_size_bytes";
                sort_dir?: "asc" | "desc";
                /** @description 1-indexed */
                page?: number;
                limit?: number;
                /** @description Also what other organizations made public */
                include_public?: boolean;
                /** @description Only what you published first */
                mine?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
                version: string;
                /** @description Of the file; may hold slashes */
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
                /** @description Exact name, with or without its organization */
                name?: string;
                /** @description Part of the name or the summary, whatever its case */
                search?: string;
                /** @description With at least one of these */
                tags?: string[];
                /** @description Any of these */
                license?: string[];
                /** @description With at least one of these */
                keywords?: string[];
                /** @description Any of these */
                author?: string[];
                sort_by?: "name" | "created_at" | "updated_at" | "file_size_bytes";
                sort_dir?: "asc" | "desc";
                /** @description 1-indexed */
                page?: number;
                limit?: number;
                /** @description Also what other organizations made public */
                include_public?: boolean;
                /** @description Only what you published first */
                mine?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
                version: string;
                /** @description Of the file; may hold slashes */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Organization slug */
                org: string;
                name: string;
                alias: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
                /** @description Version, or an alias of one */
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
                /** @description May be left out where there is one data file */
                split?: string;
                offset?: number;
                limit?: number;
                /** @description Part of the text of any column, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description `name`, or `org/name` url-encoded for what another organization made public */
                name: string;
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
                /** @description Any of these */
                source?: string[];
                /** @description Words, or how they begin, all of them in name, description, tags or source */
                search?: string;
                /** @description At least one of these */
                tags?: string[];
                /** @description Only sets that refer to this task: `name` with any version or none, `name@version` pinned to exactly that one */
                contains?: string;
                sort_by?: "name" | "source" | "created_at" | "updated_at";
                sort_dir?: "asc" | "desc";
                /** @description 1-indexed */
                page?: number;
                limit?: number;
                /** @description Public sets of other organizations as well */
                include_public?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Name of the task set */
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
                /** @description Organization slug */
                org: string;
                /** @description Name of the task set */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Name of the task set */
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
                /** @description Organization slug */
                org: string;
                /** @description Name of the task set */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Of this owner */
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
                /** @description `active`: not archived; `inactive`: archived or frozen */
                archived?: "active" | "inactive" | "archived" | "any";
                /** @description `key:value`, split at the first colon; any value of the same key, and all keys */
                label?: string[];
                /** @description A part of the title, of the preview or of a message, whatever its case */
                search?: string;
                /** @description Every origin, where `origin` names none; else only sessions of users */
                include_workload_sessions?: boolean;
                sort_by?: "created_at" | "updated_at" | "last_message_at" | "title" | "message_count";
                /** @description What has no such value comes last either way */
                sort_dir?: "asc" | "desc";
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Of this owner */
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
                /** @description `active`: not archived; `inactive`: archived or frozen */
                archived?: "active" | "inactive" | "archived" | "any";
                /** @description `key:value`, split at the first colon; any value of the same key, and all keys */
                label?: string[];
                /** @description A part of the title, of the preview or of a message, whatever its case */
                search?: string;
                /** @description Every origin, where `origin` names none; else only sessions of users */
                include_workload_sessions?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                group_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                after_seq?: number;
                /** @description Of more than 500, the first 500 are returned */
                limit?: number;
                /** @description Of all eras, not of the current one only */
                include_compacted?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from. */
                "last-event-id"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                        /** @enum {string} */
                        event: "messages";
                        data: components["schemas"]["SessionMessagesEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "session";
                        data: components["schemas"]["SessionStateEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "compacted";
                        data: components["schemas"]["SessionCompactedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
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
                /** @description ATIF-v1.7; `{messages, tools, metadata}` as in Chat Completions; or the rows as they are stored */
                format?: "atif" | "openai" | "native";
                /** @description All eras, not only the current one */
                include_compacted?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
                /** @description With a span of this project: its id or key */
                project_id?: string;
                /** @description Another name of limit; where both are given, it counts */
                page_size?: number;
                /** @description With a span of this type; `generation` is `llm`, and `scorer` is `evaluator` */
                span_type?: "span" | "llm" | "agent" | "tool" | "chain" | "retriever" | "embedding" | "reranker" | "guardrail" | "evaluator" | "prompt" | "task" | "evaluation" | "study" | "trial" | "sample" | "transform" | "generation" | "scorer";
                /** @description `error`: with a span that has one; `ok`: with none */
                status?: "ok" | "error";
                /** @description With a span of this session: one that its owner sent */
                session_id?: string;
                /** @description A part of a name, of what was asked or of what was answered, whatever its case; or the first 4 or more digits of the id */
                search?: string;
                /** @description That began then or later, to the millisecond */
                from?: string;
                /** @description That began then or earlier, to the millisecond */
                to?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description 32 hexadecimal digits */
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
                /** @description At most; a page ends sooner when its spans are large */
                limit?: number;
                /** @description next_cursor of the answer before */
                after?: string;
                /** @description How many spans to pass over; the next page begins at the sum of this and the spans that were returned */
                offset?: number;
                /** @description Both are the time at which a span began */
                order_by?: "start_time" | "Timestamp";
                order_dir?: "asc" | "desc" | "ASC" | "DESC";
                /** @description Only the children of this span; `root` for those whose parent is not there */
                parent?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description 32 hexadecimal digits */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description 32 hexadecimal digits */
                trace_id: string;
                /** @description 16 hexadecimal digits */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description 32 hexadecimal digits */
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
                /** @description In any of these states */
                state?: ("idle" | "running" | "paused")[];
                /** @description Project uuid or key */
                project_id?: string;
                /** @description `me`, a user id or a username */
                owner?: string;
                limit?: number;
                /** @description next_cursor of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
                binding_id: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
                binding_id: string;
                server: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
                binding_id: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
                binding_id: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
                binding_id: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                        /** @enum {string} */
                        event: "progress";
                        data: components["schemas"]["RuntimeProgress"];
                    } | {
                        /** @enum {string} */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                        /** @enum {string} */
                        event: "progress";
                        data: components["schemas"]["RuntimeProgress"];
                    } | {
                        /** @enum {string} */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                        /** @enum {string} */
                        event: "progress";
                        data: components["schemas"]["RuntimeProgress"];
                    } | {
                        /** @enum {string} */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                        /** @enum {string} */
                        event: "progress";
                        data: components["schemas"]["RuntimeProgress"];
                    } | {
                        /** @enum {string} */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                        /** @enum {string} */
                        event: "stdout";
                        data: components["schemas"]["RuntimeExecOutput"];
                    } | {
                        /** @enum {string} */
                        event: "stderr";
                        data: components["schemas"]["RuntimeExecOutput"];
                    } | {
                        /** @enum {string} */
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
                /** @description Below /workspace: relative to it, or absolute */
                path: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Below /workspace: relative to it, or absolute */
                path: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Below /workspace: relative to it, or absolute */
                path: string;
                /** @description Also a folder, with all that it holds */
                recursive?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Below /workspace: relative to it, or absolute */
                path?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Of one that was opened before; without it a new one is opened */
                terminal_id?: string;
                /** @description How many bytes of its output you have; what comes after them is sent */
                after?: number;
                /** @description 80 unless said; of one that was opened before: as it is */
                columns?: number;
                /** @description 24 unless said; of one that was opened before: as it is */
                rows?: number;
                /** @description A line for bash, in place of a login shell; of a new one */
                command?: string;
                /** @description You send `ack`s: what you have not acknowledged is kept for you, and the program is held up rather than any of it lost. While more than 1 MiB that you typed waits for the program, what was sent counts as acknowledged */
                acknowledges?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
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
                /** @description Organization slug */
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
                /** @description In any of these states */
                state?: ("running" | "paused" | "killed")[];
                project_id?: string;
                limit?: number;
                /** @description next_cursor of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Organization slug */
                org: string;
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
                /** @description Organization slug */
                org: string;
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
                kind?: "lifecycle" | "egress";
                limit?: number;
                /** @description next_cursor of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
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
                /** @description Organization slug */
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
                /** @description Organization slug */
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
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
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
                /** @description Organization slug */
                org: string;
                /** @description The id of the model: `provider/name` */
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
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Whose: yours unless said; another user for admins; "all" for the owner */
                user_id?: "all" | string;
                /** @description Inclusive; the first day of this month, UTC, unless said */
                start_date?: string;
                /** @description Inclusive; now unless said */
                end_date?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Organization slug */
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
                limit?: number;
                /** @description next_cursor of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
                status?: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
                project_id?: string;
                model?: string;
                /** @description A part of the name, whatever its case */
                search?: string;
                sort_by?: "created_at" | "name";
                sort_dir?: "asc" | "desc";
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                status?: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
                project_id?: string;
                model?: string;
                /** @description A part of the name, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from. */
                "last-event-id"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                        /** @enum {string} */
                        event: "counts";
                        data: components["schemas"]["EvaluationCountsEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "item";
                        data: components["schemas"]["EvaluationItemEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "state";
                        data: components["schemas"]["EvaluationStateEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
                item_status?: "queued" | "claiming" | "provisioning" | "agent_running" | "agent_finished" | "verifying" | "passed" | "failed" | "timed_out" | "cancelled" | "infra_error";
                passed?: boolean;
                task_name?: string;
                min_score?: number;
                max_score?: number;
                sort_by?: "position" | "score" | "duration_ms" | "cost_usd";
                sort_dir?: "asc" | "desc";
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                evaluation_id: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                evaluation_id: string;
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
                after_seq?: number;
                /** @description Of more than 500, the first 500 are returned */
                limit?: number;
                /** @description Of all eras, not of the current one only */
                include_compacted?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                evaluation_id: string;
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
                /** @description ATIF-v1.7; `{messages, tools, metadata}` as in Chat Completions; or the rows as they are stored */
                format?: "atif" | "openai" | "native";
                /** @description All eras, not only the current one */
                include_compacted?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                evaluation_id: string;
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
                /** @description A part of a text, whatever its case; compared after Unicode NFKC folding. Blank finds nothing. */
                q: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                evaluation_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                evaluation_id: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                evaluation_id: string;
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
                status?: "pending" | "queued" | "running" | "completed" | "failed" | "cancelled";
                target_kind?: "capability_agent" | "capability_env";
                /** @description Key or id */
                project?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Lines after this `seq` */
                after?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from. */
                "last-event-id"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                        /** @enum {string} */
                        event: "optimization_start";
                        data: components["schemas"]["OptimizationStartEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "iteration_start";
                        data: components["schemas"]["OptimizationIterationEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "candidate_accepted";
                        data: components["schemas"]["OptimizationAcceptedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "candidate_rejected";
                        data: components["schemas"]["OptimizationRejectedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "valset_evaluated";
                        data: components["schemas"]["OptimizationValidationEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "budget_updated";
                        data: components["schemas"]["OptimizationBudgetEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "pareto_front_updated";
                        data: components["schemas"]["OptimizationFrontierEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "optimization_error";
                        data: components["schemas"]["OptimizationErrorEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
                split?: "train" | "validation" | "holdout";
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
                status?: "queued" | "running" | "completed" | "failed" | "cancelled";
                backend?: "hosted_a" | "hosted_b" | "tinker" | "ray";
                trainer_type?: "sft" | "rl";
                /** @description Key or id of a project */
                project_ref?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description The `id` of the last line that was read */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from. */
                "last-event-id"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                        /** @enum {string} */
                        event: "job_claimed";
                        data: components["schemas"]["TrainingClaimedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "cancel_requested";
                        data: components["schemas"]["TrainingCancelRequestedEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "worker_lost";
                        data: components["schemas"]["TrainingWorkerLostEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "training_start";
                        data: components["schemas"]["TrainingStartEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "step_complete";
                        data: components["schemas"]["TrainingStepEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "eval_complete";
                        data: components["schemas"]["TrainingEvaluationEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "checkpoint_saved";
                        data: components["schemas"]["TrainingCheckpointEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "training_error";
                        data: components["schemas"]["TrainingErrorEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "training_end";
                        data: components["schemas"]["TrainingEndEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "cancelled";
                        data: components["schemas"]["TrainingCancelledEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
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
                /** @description All by default; repeated, or with commas between them */
                names?: string | string[];
                /** @description Of each metric */
                max_points?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                step?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                job_id: string;
                step: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
                org: string;
                name: string;
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
                /** @description Organization slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Id or key */
                project_id?: string;
                status?: "pending" | "running" | "completed" | "failed";
                /** @description Part of the name or description, without case */
                search?: string;
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                project_id: string;
            };
            header?: {
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from. */
                "last-event-id"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                        /** @enum {string} */
                        event: "assessment_start";
                        data: components["schemas"]["AssessmentStartEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "finding_start";
                        data: components["schemas"]["AssessmentFindingStartEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "trial";
                        data: components["schemas"]["AssessmentTrialEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
                        event: "finding_end";
                        data: components["schemas"]["AssessmentFindingEndEvent"];
                    } | {
                        /** @description Where to go on after this event */
                        id: string;
                        /** @enum {string} */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description One or several, separated by commas */
                severity?: string;
                /** @description Goal categories, separated by commas */
                category?: string;
                /** @description Separated by commas */
                attack_name?: string;
                /** @description Separated by commas */
                finding_status?: string;
                /** @description Separated by commas */
                finding_type?: string;
                min_score?: number;
                /** @description Part of the goal, attack or notes, without case */
                search?: string;
                created_after?: string;
                sort_by?: "score" | "severity" | "created_at" | "attack_name";
                sort_dir?: "asc" | "desc";
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description One or several, separated by commas */
                severity?: string;
                /** @description Goal categories, separated by commas */
                category?: string;
                /** @description Separated by commas */
                attack_name?: string;
                /** @description Separated by commas */
                finding_status?: string;
                /** @description Separated by commas */
                finding_type?: string;
                min_score?: number;
                /** @description Part of the goal, attack or notes, without case */
                search?: string;
                created_after?: string;
                sort_by?: "score" | "severity" | "created_at" | "attack_name";
                sort_dir?: "asc" | "desc";
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Key or id */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                finding_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                finding_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                finding_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                finding_id?: string;
                attack_name?: string;
                min_score?: number;
                jailbreaks_only?: boolean;
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                attack_name?: string;
                min_score?: number;
                jailbreaks_only?: boolean;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Key or id */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                assessment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                assessment_id: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Id or name */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Id or name */
                gate: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Id or name */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Id or name */
                gate: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Id or name */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Id or name */
                gate: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Id or name */
                gate: string;
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
                /** @description The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from. */
                "last-event-id"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Id or name */
                gate: string;
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
                        /** @enum {string} */
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
                kind: "dataset" | "model" | "capability" | "task";
                /** @description `name`, or `org/name` of a public artifact */
                name: string;
                version: string;
                /** @description `up`: what it was made from; `down`: what was made from it */
                direction?: "up" | "down" | "both";
                limit?: number;
                /** @description next_cursor of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
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
                /** @description `up`: what it was made from; `down`: what was made from it */
                direction?: "up" | "down" | "both";
                limit?: number;
                /** @description next_cursor of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description The id, or a prefix of at least 8 characters that only one session has */
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
                /** @description 1-indexed */
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description `name`, or `org/name` of a public one with its slash encoded */
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description 1-indexed */
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description Sent again within 24 hours with the same body, the request is answered with its first answer */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
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
                /** @description gzip, deflate, zstd, none or identity */
                "content-encoding"?: string;
            };
            path: {
                /** @description Organization slug */
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-protobuf": string;
                "application/protobuf": string;
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
                /** @description Organization slug */
                org: string;
                /** @description Workspace slug */
                workspace: string;
                /** @description Runtime key or uuid */
                runtime: string;
                /** @description One of sandbox.exposed_ports of its configuration */
                port: string;
                /** @description Passed on as it is */
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
