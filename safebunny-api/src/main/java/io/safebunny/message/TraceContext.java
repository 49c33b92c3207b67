// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.HashSet;
import java.util.Set;

/**
 * Checks the syntax and limits of W3C Trace Context (level 1, chapter 3). Invalid values are dropped, because tracers, logs and
 * collectors downstream may trust them. Pure.
 */
final class TraceContext {

    /** {@code 00-<32 hex>-<16 hex>-<2 hex>}. */
    private static final int PARENT = 55;

    /** Limit for a future version, which may append fields after a hyphen. */
    private static final int LONGEST_PARENT = 128;

    private static final int LONGEST_STATE = 512;
    private static final int MOST_MEMBERS = 32;
    private static final int LONGEST_KEY = 256;
    private static final int LONGEST_TENANT = 241;
    private static final int LONGEST_SYSTEM = 14;
    private static final int LONGEST_VALUE = 256;

    private TraceContext() {}

    static boolean isParent(String text) {
        if (text.length() < PARENT || text.length() > LONGEST_PARENT || !isHex(text, 0, 2) || text.startsWith("ff")) {
            return false;
        }
        boolean known = text.startsWith("00");
        return (text.length() == PARENT || (!known && text.charAt(PARENT) == '-' && isVisible(text, PARENT)))
                && text.charAt(2) == '-'
                && isId(text, 3, 35)
                && text.charAt(35) == '-'
                && isId(text, 36, 52)
                && text.charAt(52) == '-'
                && isHex(text, 53, PARENT);
    }

    /** Hexadecimal, and not all zeros. */
    private static boolean isId(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) != '0') {
                return isHex(text, from, to);
            }
        }
        return false;
    }

    private static boolean isHex(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (!isDigit(c) && !(c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return true;
    }

    private static boolean isVisible(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }

    static boolean isState(String text) {
        if (text.length() > LONGEST_STATE) {
            return false;
        }
        Set<String> keys = new HashSet<>();
        int members = 0;
        for (int from = 0; from <= text.length(); ) {
            int comma = text.indexOf(',', from);
            int to = comma < 0 ? text.length() : comma;
            String member = trimmed(text, from, to);
            if (!member.isEmpty() && (++members > MOST_MEMBERS || !isMember(member, keys))) {
                return false;
            }
            from = to + 1;
        }
        return members > 0;
    }

    /** Strips spaces and tabs, the only white space allowed here. */
    private static String trimmed(String text, int begin, int end) {
        int from = begin;
        int to = end;
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (from < to && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static boolean isMember(String member, Set<String> keys) {
        int equals = member.indexOf('=');
        return equals > 0
                && isKey(member.substring(0, equals))
                && isValue(member, equals + 1)
                && keys.add(member.substring(0, equals));
    }

    /** {@code vendor} or {@code tenant@vendor}. */
    private static boolean isKey(String key) {
        int at = key.indexOf('@');
        if (at < 0) {
            return key.length() <= LONGEST_KEY && isLetter(key.charAt(0)) && areInKey(key, 0, key.length());
        }
        int system = key.length() - at - 1;
        return at > 0
                && at <= LONGEST_TENANT
                && (isLetter(key.charAt(0)) || isDigit(key.charAt(0)))
                && areInKey(key, 0, at)
                && system > 0
                && system <= LONGEST_SYSTEM
                && isLetter(key.charAt(at + 1))
                && areInKey(key, at + 1, key.length());
    }

    private static boolean areInKey(String key, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = key.charAt(i);
            if (!isLetter(c) && !isDigit(c) && c != '_' && c != '-' && c != '*' && c != '/') {
                return false;
            }
        }
        return true;
    }

    private static boolean isValue(String member, int from) {
        if (from == member.length() || member.length() - from > LONGEST_VALUE) {
            return false;
        }
        for (int i = from; i < member.length(); i++) {
            char c = member.charAt(i);
            if (c < ' ' || c > '~' || c == '=') {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
