// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static io.safebunny.docs.DocumentationTest.PROJECT;
import static io.safebunny.docs.DocumentationTest.pages;
import static io.safebunny.docs.DocumentationTest.read;
import static io.safebunny.docs.DocumentationTest.sources;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A reader can paste the Java listings of the documentation: they are compiled, and each page says what they import. */
class ListingsTest {

    private static final Pattern LISTING = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+)\\.(\\w+);$");
    private static final Pattern TEXT = Pattern.compile("\"[^\"\\n]*\"|//.*");
    /** Not after a dot: that is a member of what is before it. */
    private static final Pattern NAME = Pattern.compile("(?<![\\w.])[A-Z]\\w*");

    private static String compiled() throws IOException {
        return sources(Path.of("src/test/java/io/safebunny/docs"))
                + sources(PROJECT.resolve("samples/quickstart/src/main/java"))
                + sources(PROJECT.resolve("safebunny-cosmos/src/test/java/io/safebunny/docs"));
    }

    private static String squeezed(String text) {
        return text.replaceAll("\\s+", "");
    }

    @Test
    void everyListingIsCompiled() throws IOException {
        String compiled = squeezed(compiled());
        List<String> missing = new ArrayList<>();
        for (Path page : pages()) {
            Matcher listing = LISTING.matcher(read(page));
            while (listing.find()) {
                parts(listing.group(1))
                        .filter(part -> !compiled.contains(squeezed(part)))
                        .forEach(part -> missing.add(PROJECT.relativize(page) + ":\n" + part));
            }
        }
        assertThat(missing).isEmpty();
    }

    /** Each import is a part of its own, because the compiled file has others between them. */
    private static Stream<String> parts(String listing) {
        return Stream.of(listing.split("\\R\\R(?=\\S)", -1))
                .flatMap(part -> part.startsWith("import ") ? part.lines() : Stream.of(part));
    }

    @Test
    void everyListingSaysWhatItImportsUnlessAnEarlierOneOnItsPageDid() throws IOException {
        Map<String, String> imported = new TreeMap<>();
        Matcher known = IMPORT.matcher(compiled());
        while (known.find()) {
            if (!known.group(1).startsWith("io.safebunny.docs")) {
                imported.put(known.group(2), known.group(1));
            }
        }
        imported.remove("Order"); // an annotation of Spring, and the order of whoever reads this
        List<String> missing = new ArrayList<>();
        for (Path page : pages()) {
            Set<String> said = new TreeSet<>();
            Matcher listing = LISTING.matcher(read(page));
            while (listing.find()) {
                IMPORT.matcher(listing.group(1)).results().forEach(line -> said.add(line.group(2)));
                NAME.matcher(TEXT.matcher(listing.group(1)).replaceAll(""))
                        .results()
                        .map(name -> name.group())
                        .filter(name -> imported.containsKey(name) && said.add(name))
                        .forEach(name -> missing.add(
                                PROJECT.relativize(page) + ": import " + imported.get(name) + '.' + name + ';'));
            }
        }
        assertThat(missing).isEmpty();
    }
}
