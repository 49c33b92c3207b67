// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.autoconfigure.actuate.Rates.Counted;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.rate.leasing.RateLimit;
import io.safebunny.rate.leasing.RateLimits;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** The types: shows their circuit breakers, rates and times; pauses and resumes them. Thread-safe. */
final class BreakerSection implements Section {

    /**
     * A requested pause of a type, or the end of one.
     *
     * @param duration {@code null} to end the pause
     */
    private record Pause(@Nullable Duration duration, Scope scope, String reason) {}

    static final Set<String> PAUSE = Set.of("state", "duration", "scope", "reason");

    private final CircuitBreakers breakers;
    private final Rates rates;
    private final RateLimits limits;
    private final BunnyOperations operations;
    private final Audit audit;

    BreakerSection(CircuitBreakers breakers, Rates rates, RateLimits limits, BunnyOperations operations, Audit audit) {
        this.breakers = breakers;
        this.rates = rates;
        this.limits = limits;
        this.operations = operations;
        this.audit = audit;
    }

    @Override
    public Set<String> changesBy() {
        return PAUSE;
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        Map<String, Status> statuses = breakers.statuses();
        Counted counted = rates.counted();
        if (path.isEmpty()) {
            Map<String, Object> shown = new TreeMap<>();
            statuses.forEach((type, status) -> shown.put(type, shown(status, counted)));
            return shown;
        }
        Status status = path.size() == 1 ? statuses.get(path.get(0)) : null;
        return status == null ? null : shown(status, counted);
    }

    private Map<String, Object> shown(Status status, Counted counted) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("type", status.type());
        view.put("state", status.state());
        view.put("since", status.since());
        view.put("until", status.until());
        view.put("reason", status.reason());
        view.put("failureRate", status.failureRate());
        view.put("lastFailure", status.lastFailure());
        view.put("pause", status.pause());
        view.put("withoutKeysSince", status.withoutKeysSince());
        view.put("withoutBodiesSince", status.withoutBodiesSince());
        view.put("inWork", counted.inWork(status.type()));
        view.put("rates", counted.rates(status.type()));
        view.put("criticalMillis", counted.criticalMillis(status.type()));
        RateLimit.Status limit = limits.statuses().get(status.type());
        if (limit != null) {
            view.put("limit", limit);
        }
        return view;
    }

    @Override
    public @Nullable Object change(List<String> path, Map<String, String> asked, SecurityContext user) {
        return path.size() == 1 ? change(path.get(0), pause(asked), Asked.by(user)) : null;
    }

    private static Pause pause(Map<String, String> asked) {
        boolean pauses = "open".equals(Asked.oneOf("state", asked.get("state"), List.of("open", "closed")));
        boolean node =
                "node".equals(Asked.oneOf("scope", asked.getOrDefault("scope", "node"), List.of("node", "instance")));
        if (!pauses) {
            Asked.absent("duration", asked.get("duration"), "it is for the state open only");
        }
        return new Pause(
                pauses ? Asked.duration(asked.get("duration")) : null,
                node ? Scope.NODE : Scope.INSTANCE,
                Asked.reason(asked.get("reason")));
    }

    private Result change(String type, Pause pause, String by) {
        String replaced = replaced(type, pause);
        Result result = pause.duration() == null
                ? operations.resume(type, pause.scope(), pause.reason(), by)
                : operations.pause(type, pause.duration(), pause.scope(), pause.reason(), by);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("operation", result.operation());
        data.put("type", type);
        data.put("scope", pause.scope());
        data.put("reason", Audit.text(pause.reason()));
        audit.tell(by, pause.duration() == null ? "RESUME" : "PAUSE", data);
        return replaced.isEmpty()
                ? result
                : new Result(
                        result.operation(),
                        result.instances(),
                        result.stored(),
                        Stream.of(replaced, result.note())
                                .filter(note -> !note.isEmpty())
                                .collect(Collectors.joining(". ")));
    }

    /** What a new pause takes the place of, also if that would have been longer; empty if nothing. */
    private String replaced(String type, Pause pause) {
        return pause.duration() == null
                ? ""
                : operations.paused().stream()
                        .filter(present -> present.type().equals(type))
                        .map(present -> "it has replaced the pause by %s until %s: %s"
                                .formatted(present.by(), present.until(), present.reason()))
                        .findFirst()
                        .orElse("");
    }
}
