// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

import io.safebunny.failure.MisuseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a system that a violation does not need. Immutable.
 *
 * @param messages those not published: number in the order of declaration, from 1, and description
 * @param instances number of instances of a node, instead of the declared one
 */
public record Cut(Map<Integer, String> messages, Map<String, Integer> instances) {

    /** Nothing. */
    public static final Cut NONE = new Cut(Map.of(), Map.of());

    private static final Pattern MESSAGE = Pattern.compile("without message (\\d{1,9}): (.+)");
    private static final Pattern INSTANCES = Pattern.compile("(\\d) instances? of (.+)");

    /** @throws MisuseException a number of a message is not positive, or one of instances not from 1 to 9 */
    public Cut {
        require(messages.keySet().stream().allMatch(number -> number > 0), "messages=" + messages, "from 1");
        require(
                instances.values().stream().allMatch(number -> number > 0 && number < 10),
                "instances=" + instances,
                "1 to 9");
        messages = Collections.unmodifiableMap(new TreeMap<>(messages)); // in a certain order, for reports
        instances = Collections.unmodifiableMap(new TreeMap<>(instances));
    }

    private static void require(boolean isValid, String what, String allowed) {
        if (!isValid) {
            throw new MisuseException(
                    MisuseException.ARGUMENT, "Invalid cut of a system [%s]: %s.".formatted(what, allowed));
        }
    }

    public Cut withoutMessage(int number, String what) {
        Map<Integer, String> more = new TreeMap<>(messages);
        more.put(number, what);
        return new Cut(more, instances);
    }

    public Cut withInstances(String node, int number) {
        Map<String, Integer> more = new TreeMap<>(instances);
        more.put(node, number);
        return new Cut(messages, more);
    }

    /** @param declared from 1 */
    public boolean hasMessage(int declared) {
        return !messages.containsKey(declared);
    }

    public int instances(String node, int declared) {
        return Math.min(declared, Objects.requireNonNullElse(instances.get(node), declared));
    }

    /**
     * The lines of this that cannot be left out of the system, which has changed since.
     *
     * @param declaredMessages descriptions of its messages, in order
     * @param declaredInstances number of instances by node
     */
    public List<String> missingIn(List<String> declaredMessages, Map<String, Integer> declaredInstances) {
        List<String> missing = new ArrayList<>();
        messages.forEach((number, what) -> {
            if (number > declaredMessages.size()
                    || !declaredMessages.get(number - 1).equals(what)) {
                missing.add(line(number, what));
            }
        });
        instances.forEach((name, number) -> {
            if (declaredInstances.getOrDefault(name, 0) <= number) {
                missing.add(line(name, number));
            }
        });
        return missing;
    }

    /** Each in a form that can be read back. */
    List<String> write() {
        List<String> lines = new ArrayList<>();
        messages.forEach((number, what) -> lines.add(line(number, what)));
        instances.forEach((node, number) -> lines.add(line(node, number)));
        return lines;
    }

    private static String line(int number, String what) {
        return "without message %s: %s".formatted(number, what);
    }

    private static String line(String node, int number) {
        return "%s instance%s of %s".formatted(number, number == 1 ? "" : "s", node);
    }

    /** This and what the line says; {@code null} for a line that is none of {@link #write}'s. */
    @Nullable
    Cut and(String line) {
        Matcher message = MESSAGE.matcher(line);
        if (message.matches()) {
            return withoutMessage(Integer.parseInt(message.group(1)), message.group(2));
        }
        Matcher fewer = INSTANCES.matcher(line);
        return fewer.matches() ? withInstances(fewer.group(2), Integer.parseInt(fewer.group(1))) : null;
    }
}
