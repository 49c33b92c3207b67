// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident.writing;

import io.safebunny.message.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes foreign text into Java source, so that no text can end the literal, comment or name that it is in. ASCII only. Pure. */
final class JavaText {

    /** Characters in one literal: its limit is 65,535 bytes, and a character has three at most. */
    private static final int LONGEST_LITERAL = 20_000;

    private static final String DELIMITER = "\"\"\"";
    private static final int LONGEST_NAME = 80;
    private static final int LONGEST_COMMENT = 1_000;
    private static final int WIDTH = 110;

    private JavaText() {}

    /** An expression for the text, on one line. */
    static String literal(String text) {
        StringBuilder literal = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            literal.append(c == '"' ? "\\\"" : c == '\n' ? "\\n" : escaped(text, i));
        }
        return literal.append('"').toString();
    }

    /**
     * An expression for the text: a text block, or several joined if it is too long for one. The lines after the first begin with the
     * indentation.
     */
    static String block(String text, String indent) {
        if (text.length() <= LONGEST_LITERAL) {
            return oneBlock(text, indent);
        }
        List<String> parts = new ArrayList<>();
        for (int from = 0; from < text.length(); from += LONGEST_LITERAL) {
            String part = text.substring(from, Math.min(text.length(), from + LONGEST_LITERAL));
            parts.add(oneBlock(part, indent));
        }
        return parts.stream()
                .collect(Collectors.joining(",\n" + indent, "String.join(\n" + indent + "\"\",\n" + indent, ")"));
    }

    private static String oneBlock(String text, String indent) {
        if (text.lines().anyMatch(line -> isStripped(line, 0) || isStripped(line, line.length() - 1))) {
            return literal(text);
        }
        StringBuilder lines = new StringBuilder(DELIMITER + "\n");
        boolean isFirst = true; // of those that are not empty: it shows the compiler where the text begins
        for (String line : text.split("\n", -1)) {
            lines.append(line.isEmpty() ? "" : indent + line(line, isFirst)).append('\n');
            isFirst &= line.isEmpty();
        }
        if (text.endsWith("\"")) { // it must not become part of the delimiter
            lines.setLength(lines.length() - (text.endsWith("\"\"") ? 3 : 2));
            lines.append("\\\"\n");
        }
        return lines.substring(0, lines.length() - 1) + end(text, indent);
    }

    /** Whether the compiler takes the character for a blank, although it is written as an escape. */
    private static boolean isStripped(String line, int at) {
        return !line.isEmpty() && line.charAt(at) > '~' && Character.isWhitespace(line.charAt(at));
    }

    /** After a line break, the delimiter has a line of its own, whose indentation would otherwise count. */
    private static String end(String text, String indent) {
        return text.endsWith("\n") ? indent + DELIMITER : DELIMITER;
    }

    /** A line of a text block. A blank is escaped where the compiler would strip it. */
    private static String line(String line, boolean isFirst) {
        StringBuilder escaped = new StringBuilder();
        int last = line.length() - 1;
        for (int i = 0; i <= last; i++) {
            char c = line.charAt(i);
            boolean isStripped = c == ' ' && (i == last || (i == 0 && isFirst));
            escaped.append(isStripped ? "\\s" : c == '"' ? quote(line, i) : escaped(line, i));
        }
        return escaped.toString();
    }

    /** A quotation mark, escaped if with its neighbours it could end the text block. */
    private static String quote(String line, int at) {
        boolean isAlone =
                (at == 0 || line.charAt(at - 1) != '"') && (at == line.length() - 1 || line.charAt(at + 1) != '"');
        return isAlone ? "\"" : "\\\"";
    }

    /** Any character but a quotation mark and the end of a line, as it may be in a literal. */
    private static String escaped(String text, int at) {
        char c = text.charAt(at);
        return switch (c) {
            // after half of a character, javac 17 forgets that a backslash is escaped
            case '\\' -> at > 0 && Character.isHighSurrogate(text.charAt(at - 1)) ? "\\134" : "\\\\";
            case '\t' -> "\\t";
            case '\r' -> "\\r";
            case '\f' -> "\\f";
            case '\b' -> "\\b";
            default -> c < ' ' ? "\\" + padded(Integer.toOctalString(c), 3) : c > '~' ? unicode(c) : String.valueOf(c);
        };
    }

    private static String unicode(int c) {
        return "\\u" + padded(Integer.toHexString(c), 4);
    }

    private static String padded(String digits, int length) {
        return "0".repeat(length - digits.length()) + digits;
    }

    /** Comment lines for one sentence or paragraph, each with the indentation. */
    static String comment(String text, String indent) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : Names.printable(text, LONGEST_COMMENT).split(" ", -1)) {
            if (!line.isEmpty() && line.length() + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder();
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines.stream()
                .map(one -> (indent + "// " + inComment(one)).stripTrailing())
                .collect(Collectors.joining("\n"));
    }

    /** Doubles backslashes: the compiler reads escapes of characters in comments, too, and one could be the end of a line. */
    private static String inComment(String text) {
        return text.chars()
                .mapToObj(c -> c == '\\' ? "\\\\" : c > '~' ? "\\" + unicode(c) : String.valueOf((char) c))
                .collect(Collectors.joining());
    }

    /** Source without texts, such as a name, in ASCII: the compiler reads escapes of characters everywhere. */
    static String code(String source) {
        return source.chars()
                .mapToObj(c -> c > '~' ? unicode(c) : String.valueOf((char) c))
                .collect(Collectors.joining());
    }

    /** Part of the name of a class. */
    static String name(String text) {
        String name = text.replaceAll("[^A-Za-z0-9_]", "");
        String begun = name.isEmpty() || !Character.isLetter(name.charAt(0)) ? "Message" + name : name;
        String upper = begun.substring(0, 1).toUpperCase(Locale.ROOT) + begun.substring(1);
        return upper.substring(0, Math.min(LONGEST_NAME, upper.length()));
    }
}
