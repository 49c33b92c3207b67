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
 * @param messages messages that are not published: number in the order of declaration, from 1, and description
 * @param instances number of instances of a node, if it is not the declared one
 */
public record Cut(Map<Integer, String> messages, Map<String, Integer> instances) {

    /** Leaves out nothing. */
    public static final Cut NONE = new Cut(Map.of(), Map.of());

    private static final Pattern MESSAGE = Pattern.compile("without message (\\d{1,9}): (.+)");
    private static final Pattern INSTANCES = Pattern.compile("(\\d) instances? of (.+)");

    /** @throws MisuseException if the number of a message is not positive, or a number of instances is not from 1 to 9 */
    public Cut {
        require(messages.keySet().stream().allMatch(number -> number > 0), "messages=" + messages, "from 1");
        require(
                instances.values().stream().allMatch(number -> number > 0 && number < 10),
                "instances=" + instances,
                "1 to 9");
        messages = Collections.unmodifiableMap(new TreeMap<>(messages)); // in a fixed order, for reports
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

    /** @param declared number of the message in the order of declaration, from 1 */
    public boolean hasMessage(int declared) {
        return !messages.containsKey(declared);
    }

    public int instances(String node, int declared) {
        return Math.min(declared, Objects.requireNonNullElse(instances.get(node), declared));
    }

    /**
     * The lines of this cut that cannot be left out, because the system has changed since and no longer has these parts.
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

    /** One line for each part, in a form that {@link #and} can read back. */
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

    /** This cut plus the part that the line describes; {@code null} if {@link #write} cannot have written the line. */
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
