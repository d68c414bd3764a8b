# An agent for flows/first.yaml that needs no model: it reads the handoff and answers with an envelope.
# Put a program of your own in its place.
handoff=$(cat)
sleep 1
case $1 in
writer) did='Wrote one line about the subject in notes/first.md.' ;;
*) did="Read the writer's handoff of ${#handoff} characters and found nothing to mend." ;;
esac
cat <<END
{"meta": {"step_id": "$1", "flow_key": "first", "agent_key": "$1", "timestamp": "$(date -u +%Y-%m-%dT%H:%M:%SZ)"},
 "status": "VERIFIED",
 "summary": {"what_i_did": "$did", "what_i_found": "One handoff of ${#handoff} characters.",
  "evidence": {"artifacts_produced": [], "commands_run": ["sh flows/first-agent.sh $1"]}},
 "routing": {"recommendation": "CONTINUE", "reason": "The work is done."}}
END
