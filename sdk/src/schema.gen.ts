/** Written by `npm run generate` from openapi.json. Do not edit. */
export interface components {
    schemas: {
        ApiKey: {
            /** Format: uuid */
            id: string;
            masked_key: string;
            name: string;
            active: boolean;
            org_id: string | null;
            workspace_id: string | null;
            allowed_scopes: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write")[] | null;
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
            /** @description Omitted: everything its user may do */
            allowed_scopes?: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write")[] | null;
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
            allowed_scopes: ("user:read" | "user:write" | "organization:read" | "organization:write" | "members:read" | "members:write" | "workspaces:read" | "workspaces:write" | "projects:read" | "projects:write" | "datasets:read" | "datasets:write" | "models:read" | "models:write" | "capabilities:read" | "capabilities:write" | "tasks:read" | "tasks:write" | "task_sets:read" | "task_sets:write" | "storage:read" | "storage:write" | "sessions:read" | "sessions:write" | "traces:read" | "traces:write" | "usage:read" | "usage:write" | "exports:read" | "exports:write" | "inference:read" | "inference:write" | "runtimes:read" | "runtimes:write" | "evaluations:read" | "evaluations:write" | "training:read" | "training:write" | "optimization:read" | "optimization:write" | "airt:read" | "airt:write")[] | null;
            allow_self_revoke: boolean;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
            expires_at: string | null;
            /** @description Shown only now */
            key: string;
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
        ErrorResponse: {
            /** @description The HTTP status */
            code: 400 | 401 | 403 | 404 | 409 | 422 | 426 | 429 | 500 | 502 | 504;
            /** @description Human-readable message */
            detail: string;
            /** @enum {string} */
            type: "already_exists_error" | "app_error" | "authentication_error" | "bad_gateway_error" | "cloud_error" | "configuration_error" | "conflict_error" | "database_error" | "expired_signature_error" | "expired_token_error" | "forbidden_error" | "gateway_timeout_error" | "group_error" | "invalid_error" | "invalid_flag_error" | "invalid_username_error" | "keyvalue_store_error" | "mail_error" | "member_exists_error" | "member_limit_exceeded_error" | "migration_lock_timeout_error" | "not_found_error" | "oauth_config_error" | "object_storage_error" | "org_sandbox_capacity_exceeded_error" | "payment_provider_error" | "sandbox_provider_error" | "sandbox_provider_rate_limit_error" | "server_error" | "task_error" | "task_set_not_found" | "token_error" | "upgrade_required_error" | "usage_limit_exceeded_error" | "user_suspended" | "user_verification_error" | "validation_error";
            errors?: components["schemas"]["ValidationErrorItem"][] | null;
        };
        HealthResponse: {
            /** @constant */
            status: "ok";
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
        OnboardingRequest: {
            /** @description 3 to 39 lower-case letters, digits and inner dashes */
            username: string;
            email_opt_in?: boolean;
            /** @description Creates an organization of this name */
            org_name?: string | null;
        };
        Organization: {
            /** Format: uuid */
            id: string;
            key: string;
            name: string;
            description: string | null;
            is_active: boolean;
            member_count: number;
            max_members: number | null;
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
        ScopeEntry: {
            /** @enum {string} */
            resource: "user" | "organization" | "members" | "workspaces" | "projects" | "datasets" | "models" | "capabilities" | "tasks" | "task_sets" | "storage" | "sessions" | "traces" | "usage" | "exports" | "inference" | "runtimes" | "evaluations" | "training" | "optimization" | "airt";
            actions: ("read" | "write")[];
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
        SecretReplaceRequest: {
            /** @description Omitted: stays */
            name?: string;
            value: string;
        };
        SignupRequest: {
            email_address: string;
            password: string;
            /** @description 3 to 39 lower-case letters, digits and inner dashes */
            username?: string | null;
            /** @description From the link of an invitation */
            invitation_token?: string | null;
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
            storage?: {
                used: number;
                limit: number | null;
            } | null;
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
                    "application/json": components["schemas"]["Secret"][];
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
}
