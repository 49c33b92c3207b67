// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes a violation: what does not hold, the faults, the run as a Mermaid diagram, and a test that replays it. */
public final class RunReport {

    /** Number of lines shown at a diagram's beginning and at its end. */
    private static final int MOST_AT_EACH_END = 100;

    private RunReport() {}

    /** @param test source of a test that replays the violation; empty for none */
    public static String of(Violation violation, Schedule schedule, List<RunJournal.Entry> journal, String test) {
        StringBuilder text = new StringBuilder();
        text.append("It does not hold that %s:%n%s%n".formatted(violation.invariant(), violation.details()));
        schedule.cut().write().forEach(line -> text.append("- %s%n".formatted(line)));
        if (schedule.events().isEmpty()) {
            text.append("Nothing had gone wrong before.%n".formatted());
        }
        schedule.events().forEach(event -> text.append("- %s%s%n".formatted(event, meaning(event.fault()))));
        if (journal.isEmpty()) {
            return text.toString();
        }
        return text.append('\n')
                .append(diagram(journal))
                .append('\n')
                .append(test)
                .toString();
    }

    private static String meaning(Fault fault) {
        return switch (fault) {
            case CRASH -> ": a new process begins a second later";
            case STALL -> ": the process stands still for 45 s, longer than a lease";
            case SKEW -> ": its wall clock is an hour ahead from then on";
            case LATE -> ": a second";
            case FAIL, INTERRUPT, DISCONNECT, REPEAT, LOSE -> "";
        };
    }

    private static String diagram(List<RunJournal.Entry> journal) {
        StringBuilder text = new StringBuilder("```mermaid%nsequenceDiagram%n".formatted());
        Set<String> lanes = new LinkedHashSet<>();
        journal.forEach(entry -> lanes.add(entry.point().process()));
        lanes.forEach(lane -> text.append("    participant %s as %s%n".formatted(id(lane), lane)));
        text.append("    participant store%n    participant broker%n".formatted());
        List<String> arrows =
                journal.stream().map(RunReport::line).filter(Objects::nonNull).toList();
        int left = Math.max(0, arrows.size() - 2 * MOST_AT_EACH_END);
        for (int i = 0; i < arrows.size(); i++) {
            if (i == MOST_AT_EACH_END && left > 0) {
                text.append("    Note over store,broker: %s more%n".formatted(left));
                i += left;
            }
            text.append("    ").append(arrows.get(i).replaceAll("\\R", " ")).append('\n');
        }
        return text.append("```\n").toString();
    }

    private static @Nullable String line(RunJournal.Entry entry) {
        Point point = entry.point();
        String lane = id(point.process());
        if (entry.fault() != null) {
            return "Note over %s: %s at %s s, when it %s %s"
                    .formatted(
                            lane,
                            entry.fault().name().toLowerCase(Locale.ROOT),
                            seconds(entry),
                            point.place().verb(),
                            point.subject());
        }
        return switch (point.place()) {
            case DELIVERED -> "broker->>%s: %s".formatted(lane, point.subject());
            case AFTER_WRITE -> "%s->>store: %s, at %s s".formatted(lane, point.subject(), seconds(entry));
            case AFTER_EFFECT -> "%s->>%s: %s".formatted(lane, lane, point.subject());
            case AFTER_SEND -> "%s->>broker: %s".formatted(lane, point.subject());
            case AFTER_ACKNOWLEDGE -> "%s-->>broker: acknowledges %s".formatted(lane, point.subject());
            default -> null;
        };
    }

    private static double seconds(RunJournal.Entry entry) {
        return entry.at().toMillis() / 1000.0;
    }

    private static String id(String lane) {
        return lane.replaceAll("[^A-Za-z0-9]", "_");
    }

    /** @param method the method of a test class that declares the system; {@code null} if the system is declared in another way */
    public static String test(Schedule schedule, @Nullable String method) {
        return method == null ? ofSimulation(schedule) : ofMethod(schedule, method);
    }

    private static String ofSimulation(Schedule schedule) {
        String argument = schedule.isClean() ? "Schedule.CLEAN" : "Schedule.read(%n%s)".formatted(lines(schedule));
        return "@Test%nvoid replaysTheFinding() {%n    simulation().replay(%s);%n}%n".formatted(argument);
    }

    private static String ofMethod(Schedule schedule, String method) {
        String settings = schedule.isClean() ? "schedules = 1" : "replay = {%n%s%n}".formatted(lines(schedule));
        return "@BunnySimulation(%s)%nvoid %sReplayed(SimulatedSystem system) {%n    %s(system);%n}%n"
                .formatted(settings, method, method);
    }

    private static String literal(String text) {
        return text.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
    }

    private static String lines(Schedule schedule) {
        return schedule.write().stream()
                .map(event -> "        \"" + literal(event) + "\"")
                .collect(Collectors.joining(",%n".formatted()));
    }
}
