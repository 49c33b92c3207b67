// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.MimeType;
import org.springframework.web.util.HtmlUtils;

/** The files of the page, read once. A file is found by its name in a list, never by a path that a request names. Immutable. */
final class PageFiles {

    static final String FOLDER = "io/safebunny/page/";

    /** Stands for the path to the files in {@code index.html}. */
    private static final String PLACE = "{files}";

    private static final MimeType HTML = new MimeType("text", "html", StandardCharsets.UTF_8);

    private static final Map<String, MimeType> TYPES = Map.of(
            "css", new MimeType("text", "css", StandardCharsets.UTF_8),
            "js", new MimeType("text", "javascript", StandardCharsets.UTF_8),
            "txt", new MimeType("text", "plain", StandardCharsets.UTF_8));

    /** All but {@code index.html}. */
    static final List<String> NAMES = List.of(
            "style.css",
            "app.js",
            "ask.js",
            "poll.js",
            "pages/now.js",
            "pages/types.js",
            "pages/sagas.js",
            "pages/saga.js",
            "pages/poison.js",
            "pages/story.js",
            "pages/waiting.js",
            "pages/scheduled.js",
            "pages/topology.js",
            "pages/instances.js",
            "pages/audit.js",
            "parts/action.js",
            "parts/bulk.js",
            "parts/counted.js",
            "parts/elsewhere.js",
            "parts/history.js",
            "parts/diff.js",
            "parts/node.js",
            "parts/outcome.js",
            "parts/page.js",
            "parts/picture.js",
            "parts/pace.js",
            "parts/problem.js",
            "parts/route.js",
            "parts/search.js",
            "parts/sequence.js",
            "parts/table.js",
            "parts/tales.js",
            "parts/time.js",
            "parts/words.js",
            "vendor/htm-preact.js",
            "vendor/LICENSE.txt");

    /**
     * A file.
     *
     * @param bytes not to be changed
     */
    record File(byte[] bytes, MimeType type) {}

    private final String index;
    private final Map<String, File> files = new HashMap<>();

    PageFiles() {
        index = new String(read("index.html"), StandardCharsets.UTF_8);
        for (String name : NAMES) {
            String ending = name.substring(name.lastIndexOf('.') + 1);
            files.put(name, new File(read(name), TYPES.getOrDefault(ending, HTML)));
        }
    }

    private static byte[] read(String name) {
        try {
            return new ClassPathResource(FOLDER + name, PageFiles.class.getClassLoader()).getContentAsByteArray();
        } catch (IOException e) { // it names the file
            throw new UncheckedIOException(e);
        }
    }

    /** @param place path to the files, relative to that of the page */
    File index(String place) {
        String html = index.replace(PLACE, HtmlUtils.htmlEscape(place));
        return new File(html.getBytes(StandardCharsets.UTF_8), HTML);
    }

    /** {@code null} if there is none of this name. */
    @Nullable
    File find(String name) {
        return files.get(name);
    }
}
