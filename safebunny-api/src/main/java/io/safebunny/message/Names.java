// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.details.Printable;
import java.util.regex.Pattern;

/** Checks names that go on the wire, and makes foreign text printable. Pure. */
public final class Names {

    private static final Pattern TYPE = Pattern.compile("[A-Za-z][A-Za-z0-9_$]{0,99}");
    private static final Pattern PREFIX = Pattern.compile("[a-z0-9][a-z0-9_.-]{0,49}");
    private static final int LONGEST_NODE = 100;
    private static final int LONGEST_MESSAGE_ID = 128;
    private static final int LONGEST_CORRELATION_ID = 64;

    private Names() {}

    /**
     * @param origin the property or annotation the name was read from, for the error
     * @throws ConfigurationException SB-1001
     */
    public static String requireNode(String name, String origin) {
        if (!isNode(name) || name.startsWith("amq.")) {
            throw new ConfigurationException(
                    "SB-1001",
                    "Invalid node name [%s=%s]: it must match [a-z0-9][a-z0-9_.-]*, have at most 100 characters and not begin with 'amq.', which is the broker's."
                            .formatted(origin, printable(name)),
                    "Set %s to a name such as 'billing' or 'billing-eu'.".formatted(origin));
        }
        return name;
    }

    /**
     * @param origin the class or annotation the name was read from, for the error
     * @throws ConfigurationException SB-1002
     */
    public static String requireType(String name, String origin) {
        if (name.equals("poison")) {
            throw new ConfigurationException(
                    "SB-1002",
                    "Reserved message type name [poison] of %s: {node}-poison is the node's poison queue."
                            .formatted(origin),
                    "Use another name: @BunnyMessage(\"OrderPlaced\") on the class.");
        }
        if (!TYPE.matcher(name).matches()) {
            throw new ConfigurationException(
                    "SB-1002",
                    "Invalid message type name [%s] of %s: it must match [A-Za-z][A-Za-z0-9_$]* and have at most 100 characters."
                            .formatted(printable(name), origin),
                    "Name the type with @BunnyMessage(\"OrderPlaced\") on the class.");
        }
        return name;
    }

    /** @throws ConfigurationException SB-1003 */
    public static String requirePrefix(String prefix) {
        if (!PREFIX.matcher(prefix).matches() || prefix.startsWith("amq.")) {
            throw new ConfigurationException(
                    "SB-1003",
                    "Invalid prefix [safebunny.topology.prefix=%s]: it must match [a-z0-9][a-z0-9_.-]*, have at most 50 characters and not begin with 'amq.'."
                            .formatted(printable(prefix)),
                    "Remove safebunny.topology.prefix to use 'safebunny'.");
        }
        return prefix;
    }

    /** {@code [A-Za-z0-9._:-]{1,128}}. */
    public static boolean isMessageId(String id) {
        return isId(id, LONGEST_MESSAGE_ID);
    }

    /** {@code [A-Za-z0-9._:-]{1,64}}. */
    public static boolean isCorrelationId(String id) {
        return isId(id, LONGEST_CORRELATION_ID);
    }

    // no regular expressions, because they allocate and these checks run for every message

    private static boolean isId(String id, int longest) {
        if (id.isEmpty() || id.length() > longest) {
            return false;
        }
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (!isInNode(c) && !(c >= 'A' && c <= 'Z') && c != ':') {
                return false;
            }
        }
        return true;
    }

    /** {@code [a-z0-9][a-z0-9_.-]{0,99}}. */
    public static boolean isNode(String name) {
        if (name.isEmpty() || name.length() > LONGEST_NODE || !isLowerCaseOrDigit(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            if (!isInNode(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isInNode(char c) {
        return isLowerCaseOrDigit(c) || c == '_' || c == '.' || c == '-';
    }

    private static boolean isLowerCaseOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }

    /** {@code [A-Za-z][A-Za-z0-9_$]{0,99}}. */
    public static boolean isType(String name) {
        return TYPE.matcher(name).matches();
    }

    /** {@code {node}-{Type}}: the queue of a consuming node, and the routing key of a publishing one. */
    public static String address(String node, String type) {
        return node + '-' + type;
    }

    /**
     * Whether UTF-8 can express the text. It cannot express an unpaired surrogate: encoders write a question mark instead, and
     * different texts become equal.
     */
    public static boolean isUnicode(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /** Foreign text made safe for a log line or an exception: no control characters, at most 100 characters. */
    public static String printable(String text) {
        return printable(text, 100);
    }

    /** Like {@link #printable(String)}, with another maximum length. */
    public static String printable(String text, int longest) {
        return Printable.text(text.length() > longest ? text.substring(0, longest) + "…" : text);
    }
}
