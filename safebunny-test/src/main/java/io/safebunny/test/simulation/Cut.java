// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.failure.MisuseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is left out of a system, because a violation needs less. Immutable.
 *
 * @param messages those that are not published, from 1 in the order of their declaration
 * @param instances how many a node has instead of those that are declared
 */
public record Cut(Set<Integer> messages, Map<String, Integer> instances) {

    /** Nothing. */
    public static final Cut NONE = new Cut(Set.of(), Map.of());

    private static final Pattern MESSAGE = Pattern.compile("without message (\\d{1,9})");
    private static final Pattern INSTANCES = Pattern.compile("(\\d) instances? of (.+)");

    /** @throws MisuseException a number of a message is not positive, or one of instances not from 1 to 9 */
    public Cut {
        require(messages.stream().allMatch(number -> number > 0), "messages=" + messages, "from 1");
        require(
                instances.values().stream().allMatch(number -> number > 0 && number < 10),
                "instances=" + instances,
                "1 to 9");
        messages = Collections.unmodifiableSet(new TreeSet<>(messages)); // in a certain order, for reports
        instances = Collections.unmodifiableMap(new TreeMap<>(instances));
    }

    private static void require(boolean isValid, String what, String allowed) {
        if (!isValid) {
            throw new MisuseException(
                    MisuseException.ARGUMENT, "Invalid cut of a system [%s]: %s.".formatted(what, allowed));
        }
    }

    Cut withoutMessage(int number) {
        Set<Integer> fewer = new TreeSet<>(messages);
        fewer.add(number);
        return new Cut(fewer, instances);
    }

    Cut withInstances(String node, int number) {
        Map<String, Integer> fewer = new TreeMap<>(instances);
        fewer.put(node, number);
        return new Cut(messages, fewer);
    }

    /** @param declared from 1 */
    boolean hasMessage(int declared) {
        return !messages.contains(declared);
    }

    int instances(String node, int declared) {
        return Math.min(declared, Objects.requireNonNullElse(instances.get(node), declared));
    }

    /** What of this the system does not have any more; empty for nothing. */
    String missingIn(SimulatedSystem system) {
        return Stream.concat(
                        messages.stream()
                                .filter(number -> number > system.messages().size())
                                .map(number -> "message " + number),
                        instances.keySet().stream()
                                .filter(node -> !system.nodes().containsKey(node))
                                .map(node -> "node " + node))
                .collect(Collectors.joining(", "));
    }

    /** Each in a form that can be read back. */
    List<String> write() {
        List<String> lines = new ArrayList<>();
        messages.forEach(number -> lines.add("without message " + number));
        instances.forEach(
                (node, number) -> lines.add("%d instance%s of %s".formatted(number, number == 1 ? "" : "s", node)));
        return lines;
    }

    /** This and what the line says; {@code null} for a line that is none of {@link #write}'s. */
    @Nullable
    Cut and(String line) {
        Matcher message = MESSAGE.matcher(line);
        if (message.matches()) {
            return withoutMessage(Integer.parseInt(message.group(1)));
        }
        Matcher fewer = INSTANCES.matcher(line);
        return fewer.matches() ? withInstances(fewer.group(2), Integer.parseInt(fewer.group(1))) : null;
    }
}
