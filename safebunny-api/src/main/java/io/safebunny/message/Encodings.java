// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A {@code content_encoding}: the names of the codecs that have encoded a body, in the order in which they were applied. Pure. */
public final class Encodings {

    /** Maximum number of codecs of one body. */
    public static final int MOST = 3;

    private Encodings() {}

    /** The names in lower case, unchecked; empty for {@code null}, {@code identity} and {@code utf-8}, which mean none. */
    public static List<String> of(@Nullable String contentEncoding) {
        if (contentEncoding == null
                || contentEncoding.equalsIgnoreCase("utf-8")
                || contentEncoding.equalsIgnoreCase("identity")) {
            return List.of();
        }
        List<String> names = new ArrayList<>(2);
        int begin = 0;
        for (int end = contentEncoding.indexOf(','); end >= 0; end = contentEncoding.indexOf(',', begin)) {
            names.add(name(contentEncoding, begin, end));
            begin = end + 1;
        }
        names.add(name(contentEncoding, begin, contentEncoding.length()));
        return List.copyOf(names);
    }

    private static String name(String all, int begin, int end) {
        return all.substring(begin, end).strip().toLowerCase(Locale.ROOT);
    }

    /** As on the wire; {@code null} for none. */
    public static @Nullable String written(List<String> names) {
        return names.isEmpty() ? null : String.join(", ", names);
    }

    /**
     * Why these codecs cannot encode one body; {@code null} if they can.
     *
     * @param isKnown whether there is a codec of this name
     */
    public static @Nullable String fault(List<String> names, Predicate<String> isKnown) {
        if (names.size() > MOST) {
            return "it names %s codecs, and a body has at most %s".formatted(names.size(), MOST);
        }
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (names.indexOf(name) < i) {
                return "it names %s more than once".formatted(Names.printable(name));
            }
            if (!isKnown.test(name)) {
                return "this node has no BodyCodec for %s"
                        .formatted(name.isEmpty() ? "an empty name" : Names.printable(name));
            }
        }
        return null;
    }
}
