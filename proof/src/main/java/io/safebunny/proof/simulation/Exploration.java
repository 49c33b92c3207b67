// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation;

import io.safebunny.proof.simulation.story.Batched;
import io.safebunny.proof.simulation.story.Choreographed;
import io.safebunny.proof.simulation.story.Correlated;
import io.safebunny.proof.simulation.story.Counting;
import io.safebunny.proof.simulation.story.Deadlines;
import io.safebunny.proof.simulation.story.Forgotten;
import io.safebunny.proof.simulation.story.Grouped;
import io.safebunny.proof.simulation.story.Orchestrated;
import io.safebunny.proof.simulation.story.Pairs;
import io.safebunny.proof.simulation.story.Poisoned;
import io.safebunny.proof.simulation.story.Receipts;
import io.safebunny.proof.simulation.story.Reminders;
import io.safebunny.proof.simulation.story.Sequenced;
import io.safebunny.proof.simulation.story.Sharded;
import io.safebunny.test.simulation.SimulatedSystem;
import io.safebunny.test.simulation.Simulation;
import io.safebunny.test.simulation.run.Finding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Many schedules of the order saga, of all its stories or of the one in which a bug is planted. */
public final class Exploration {

    /** Key of the events of the shortest schedule. */
    static final String SHORTEST = "shortest";

    private static final Map<String, Consumer<SimulatedSystem>> STORIES = stories();

    private Exploration() {}

    private static Map<String, Consumer<SimulatedSystem>> stories() {
        Map<String, Consumer<SimulatedSystem>> stories = new LinkedHashMap<>();
        stories.put("choreographed: delivered", Choreographed::delivered);
        stories.put("choreographed: sold out", Choreographed::soldOut);
        stories.put("choreographed: a bank that declines repeated calls", Choreographed::moody);
        stories.put("choreographed: set aside and replayed", Choreographed::repaired);
        stories.put("choreographed: published before the end", Receipts::declare);
        stories.put("orchestrated: delivered", Orchestrated::delivered);
        stories.put("orchestrated: paid too late", Orchestrated::late);
        stories.put("orchestrated: paid in the last moment", Orchestrated::racing);
        stories.put("orchestrated: never paid", Orchestrated::unpaid);
        stories.put("orchestrated: timeouts set anew", Reminders::declare);
        stories.put("orchestrated: several messages at once", Counting::declare);
        stories.put("orchestrated: two sagas of one id", Pairs::declare);
        stories.put("orchestrated: told of what is set aside", Poisoned::declare);
        stories.put("orchestrated: several timeouts", Deadlines::declare);
        stories.put("orchestrated: assigned by payloads", Correlated::declare);
        stories.put("orchestrated: longer than anything is remembered", Forgotten::declare);
        stories.put("messages that share transactions", Grouped::declare);
        stories.put("messages that come in batches", Batched::declare);
        stories.put("messages in order: retried", Sequenced::retried);
        stories.put("messages in order: read late", Sequenced::read);
        stories.put("messages in order: waiting for a replay", Sequenced::held);
        stories.put("messages in order: without what is set aside", Sequenced::skipped);
        stories.put("messages in order, in shards: retried", Sharded::retried);
        stories.put("messages in order, in shards: waiting for a replay", Sharded::held);
        stories.put("messages in order, in shards: another number of them", Sharded::resized);
        return stories;
    }

    /** Names of the stories in which the expression is found. */
    static List<String> names(Pattern wanted) {
        return STORIES.keySet().stream().filter(wanted.asPredicate()).toList();
    }

    /**
     * @param planted name of the plant; empty for none
     * @param wanted expression that is found in the names of the stories, which get an equal share of the schedules; a plant has its own
     * @param tells whether progress and what is found are told on standard error
     * @return a JSON object; one of strings and numbers, because it may come from another class loader
     */
    public static String run(String planted, String wanted, int schedules, long seed, boolean tells) {
        Map<String, Consumer<SimulatedSystem>> stories = new LinkedHashMap<>(STORIES);
        if (planted.isEmpty()) {
            stories.keySet().retainAll(names(Pattern.compile(wanted)));
        } else {
            stories = Map.of("with " + planted, require(planted).story());
        }
        long begun = System.nanoTime();
        int done = 0;
        int left = stories.size();
        Finding first = null;
        for (Map.Entry<String, Consumer<SimulatedSystem>> story : stories.entrySet()) {
            int share = (schedules - done) / left--;
            Finding finding = share == 0 ? null : explore(story.getKey(), story.getValue(), share, seed, tells);
            done += finding == null ? share : finding.schedules();
            if (finding != null) {
                first = finding;
                break;
            }
        }
        return JsonMapper.shared().writeValueAsString(result(planted, done, System.nanoTime() - begun, first));
    }

    private static Plant require(String name) {
        return Plant.of(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "There is no plant '%s'. Use one that bin/simulate lists.".formatted(name)));
    }

    private static @Nullable Finding explore(
            String name, Consumer<SimulatedSystem> story, int schedules, long seed, boolean tells) {
        long begun = System.nanoTime();
        Finding finding = Simulation.of(story).explore(schedules, seed);
        int done = finding == null ? schedules : finding.schedules();
        if (tells) {
            System.err.printf(Locale.ROOT, "%s: %s schedules, %.1f s%n", name, done, (System.nanoTime() - begun) / 1e9);
        }
        if (tells && finding != null) {
            System.err.println(finding.report());
        }
        return finding;
    }

    private static Map<String, @Nullable Object> result(
            String planted, int schedules, long nanos, @Nullable Finding finding) {
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("schedules", schedules);
        result.put("seconds", Math.round(nanos / 1e8) / 10.0);
        result.put("violations", finding == null ? 0 : 1);
        result.put("planted", planted.isEmpty() ? null : planted);
        result.put("found", !planted.isEmpty() && finding != null);
        result.put("schedulesToFind", finding == null ? null : finding.schedules());
        result.put(
                "shortestEvents",
                finding == null ? null : finding.schedule().events().size());
        result.put(SHORTEST, finding == null ? List.of() : finding.schedule().write());
        return result;
    }
}
