/* The smallest agent: reads the handoff, answers with an envelope, and appends its start and end to the file NOTES. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    long long began = now();
    char buffer[65536];
    while (read(0, buffer, sizeof buffer) > 0) {
    }
    const char *key = getenv("BATON_KEY");
    /* An answer that never differs would be taken for a loop. */
    printf("{\"meta\":{\"step_id\":\"s\",\"flow_key\":\"f\",\"agent_key\":\"a\",\"timestamp\":\"2026-03-02T10:15:00Z\"},"
           "\"status\":\"VERIFIED\",\"summary\":{\"what_i_did\":\"Limited loans in src/loans.py, for %s.\","
           "\"what_i_found\":\"Nothing else.\",\"key_decisions\":[],\"evidence\":{\"artifacts_produced\":[],"
           "\"commands_run\":[\"pytest\"],\"measurements\":{}}},\"concerns\":[],\"assumptions\":[],"
           "\"routing\":{\"recommendation\":\"CONTINUE\",\"reason\":\"done\"}}\n",
           key ? key : "a bare start");
    fflush(stdout);
    FILE *notes = count > 1 ? fopen(arguments[1], "a") : NULL;
    if (!notes) {
        return 1;
    }
    fprintf(notes, "%lld %lld\n", began, now());
    return fclose(notes) ? 1 : 0;
}
