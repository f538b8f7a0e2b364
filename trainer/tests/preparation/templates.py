"""Chat templates in the shapes that are in use."""

CHATML = """\
{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}
{% endif %}tools {{ tools | tojson }}<|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}<|im_start|>user
result {{ message.content }}<|im_end|>
{% elif message.role == 'assistant' %}<|im_start|>assistant
{{ message.content }}
{%- for call in message.tool_calls or [] %}
{{- '\\n<tool_call>' }}{{ {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}
{{- '</tool_call>' }}
{%- endfor %}<|im_end|>
{% elif not (loop.first and message.role == 'system') %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

# The same turns, marked by the template itself.
GENERATION = CHATML.replace(
    "<|im_start|>assistant\n{{ message.content }}",
    "<|im_start|>assistant\n{% generation %}{{ message.content }}",
).replace("{%- endfor %}<|im_end|>\n{% elif not", "{%- endfor %}<|im_end|>{% endgeneration %}\n\n{% elif not")

# A macro's text is buffered, so transformers would report wrong places for the blocks in it.
MACRO = """\
{%- macro write(message) -%}
<|im_start|>{{ message.role }}
{% if message.role == 'assistant' %}{% generation %}{{ message.content }}<|im_end|>{% endgeneration %}
{% else %}{{ message.content }}<|im_end|>{% endif %}

{% endmacro -%}
{%- for message in messages %}{{ write(message) }}{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

# Begins with its own token, trims contents, has headers.
LLAMA = """\
{{- bos_token }}
{%- for message in messages %}
{%- set role = 'ipython' if message.role == 'tool' else message.role %}
{{- '<|start_header_id|>' + role + '<|end_header_id|>\\n\\n' }}
{%- if tools and loop.first %}{{ 'tools ' + tools | tojson + '\\n' }}{% endif %}
{%- if message.tool_calls %}
{%- if message.tool_calls | length > 1 %}{{ raise_exception('one call at a time') }}{% endif %}
{%- set call = message.tool_calls[0].function %}
{{- {'name': call.name, 'parameters': call.arguments} | tojson }}
{%- else %}{{ message.content | trim }}{% endif %}
{{- '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"""

# Has no generation prompt, refuses roles that do not alternate, writes the system prompt into a question.
MISTRAL = """\
{{- bos_token }}
{%- set system = messages[0].content if messages[0].role == 'system' else '' %}
{%- set rest = messages[1:] if messages[0].role == 'system' else messages %}
{%- for message in rest %}
{%- set is_asking = message.role == 'user' %}
{%- if is_asking != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}
{%- if is_asking %}
{{- '[INST] ' + (system + '\\n' if loop.first and system else '') + message.content + ' [/INST]' }}
{%- elif message.role == 'assistant' %}{{ ' ' + message.content | trim + eos_token }}
{%- else %}{{ raise_exception('only user and assistant') }}{% endif %}
{%- endfor %}"""

# Leaves out the thinking of the turns before the last question, and writes an empty block in the last turn.
THINKING = """\
{%- set ns = namespace(last=0) %}
{%- for message in messages %}
{%- if message.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}
{%- endfor %}
{%- for message in messages %}
{%- if message.role == 'assistant' %}
{%- set thinking = message.reasoning_content or '' %}
{%- set content = message.content %}
{%- if '</think>' in content %}
{%- set thinking = content.split('</think>')[0].split('<think>')[-1].strip() %}
{%- set content = content.split('</think>')[-1].strip() %}
{%- endif %}
{{- '<|im_start|>assistant\\n' }}
{%- if loop.index0 > ns.last and (loop.last or thinking) %}
{{- '<think>\\n' + thinking + '\\n</think>\\n\\n' }}
{%- endif %}
{{- content }}
{%- for call in message.tool_calls or [] %}
{{- '\\n<tool_call>' + {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}
{{- '</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- else %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

# The same turns, marked by the template itself.
THINKING_GENERATION = THINKING.replace(
    "{{- '<|im_start|>assistant\\n' }}", "{{- '<|im_start|>assistant\\n' }}{% generation %}"
).replace("{{- '<|im_end|>\\n' }}", "{{- '<|im_end|>' }}{% endgeneration %}{{ '\\n' }}")

# Asks with a block of thinking that is open already.
THINKING_ASKED = THINKING.replace(
    "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}",
    "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}",
)

# Ends the whole conversation, and no turn, with a token.
PLAIN = """\
{%- for message in messages %}
{{- message.role | capitalize + ': ' + message.content + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ 'Assistant: ' }}{% else %}{{ eos_token }}{% endif %}"""

# Refuses the system role.
NO_SYSTEM = """\
{{- bos_token }}
{%- for message in messages %}
{%- if message.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- set role = 'model' if message.role == 'assistant' else message.role %}
{{- '<start_of_turn>' + role + '\\n' + message.content | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"""

# Writes the number of messages in front, so that no part is the beginning of the whole.
COUNTING = """\
{{- messages | length }}
{%- for message in messages %}{{ ' ' + message.role + ': ' + message.content + eos_token }}{% endfor %}
{%- if add_generation_prompt %}{{ ' assistant: ' }}{% endif %}"""
