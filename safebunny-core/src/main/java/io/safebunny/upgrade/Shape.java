// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import java.math.BigInteger;
import java.time.ZoneId;
import java.util.regex.Pattern;

/** Texts without what they say: as long, and in the same form, so that what reads the one reads the other. Pure. */
final class Shape {

    private static final int FIRST_OTHER = 128;

    /** A time with its date, or a date; the year is the first group. */
    private static final Pattern DATE = Pattern.compile(
            "([+-]?\\d{4,9})(-\\d\\d(?:-\\d\\d)?(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?)?(?:Z|[+-]\\d\\d(?::?\\d\\d)?)?)(\\[.*\\])?");

    private static final Pattern TIME =
            Pattern.compile("\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?(?:Z|[+-]\\d\\d(?::?\\d\\d)?)?");

    private static final Pattern AMOUNT_OF_TIME =
            Pattern.compile("[+-]?P(?=.*\\d)(?:[+-]?\\d+[YMWD])*(?:T(?:[+-]?\\d+(?:[.,]\\d+)?[HMS])+)?");
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?");
    private static final Pattern HEXADECIMAL = Pattern.compile("[0-9a-fA-F:-]{8,}");
    private static final Pattern SCHEME = Pattern.compile("(https?|ftps?|amqps?|file|mailto|urn):.*", Pattern.DOTALL);

    private Shape() {}

    /** @param digit what stands for each digit */
    static String of(String text, char digit) {
        if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            boolean isLarge = Character.isUpperCase(text.charAt(1));
            return digit == '1' ? (isLarge ? "FALSE" : "false") : (isLarge ? "TRUE" : "true");
        }
        var date = DATE.matcher(text);
        if (date.matches()) {
            String zone = date.group(3) == null ? "" : "[UTC]";
            return digits(date.group(1), digit) + digits(date.group(2), '1') + zone;
        }
        if (TIME.matcher(text).matches()) {
            return digits(text, '1');
        }
        if (AMOUNT_OF_TIME.matcher(text).matches() || NUMBER.matcher(text).matches()) {
            return digits(text, digit);
        }
        if (text.contains("/") && ZoneId.getAvailableZoneIds().contains(text)) {
            return "Etc/UTC";
        }
        var scheme = SCHEME.matcher(text);
        if (scheme.matches()) {
            int end = scheme.group(1).length();
            return text.substring(0, end) + letters(text.substring(end), digit, 'X', 'x');
        }
        return HEXADECIMAL.matcher(text).matches() ? letters(text, digit, 'A', 'a') : letters(text, digit, 'X', 'x');
    }

    private static String digits(String text, char digit) {
        StringBuilder masked = new StringBuilder();
        text.chars().forEach(one -> masked.append(one >= '0' && one <= '9' ? digit : (char) one));
        return masked.toString();
    }

    private static String letters(String text, char digit, char upper, char lower) {
        StringBuilder masked = new StringBuilder();
        text.codePoints().forEach(one -> {
            if (one >= '0' && one <= '9') {
                masked.append(digit);
            } else if (one < FIRST_OTHER && !Character.isLetter(one)) {
                masked.append((char) one);
            } else {
                masked.append(Character.isUpperCase(one) ? upper : lower);
            }
        });
        return masked.toString();
    }

    /** Of the smallest type of integers that takes it; 16 for none. */
    static int bytes(BigInteger number) {
        int bits = number.bitLength();
        for (int bytes = 1; bytes <= Long.BYTES; bytes *= 2) {
            if (bits < bytes * Byte.SIZE) {
                return bytes;
            }
        }
        return 2 * Long.BYTES;
    }
}
