// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaHistory.Failed;
import io.safebunny.saga.document.SagaHistory.SentStep;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.saga.document.SagaHistory.TimedOut;
import io.safebunny.saga.document.SagaHistory.Took;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the page are few and small, load nothing from elsewhere, and make no markup of what they show. */
class PageFilesTest {

    private static final Path FOLDER = Path.of("src/main/resources").resolve(PageFiles.FOLDER);
    private static final String LIBRARY = "vendor/htm-preact.js";
    private static final String LIBRARY_SHA_256 = "72284e8e9079c87817145df1110f74e8a2aa040b2fc384922e18dfcb46fc1fd7";
    private static final long MOST_BYTES = 256_000;

    private static final Pattern ANY_IMPORT = Pattern.compile("\\bimport\\b(?!\\.meta)");
    private static final Pattern IMPORT = Pattern.compile("\\bimport \\{([^}]*)} from '([^']+)';");
    private static final Pattern EXPORT = Pattern.compile("export (?:async )?(?:function\\*? |class |const )(\\w+)");
    private static final Pattern MOVE = Pattern.compile("\\[/(.+)/, \\{ ((?:from|to): \\w+) \\}\\]");
    private static final Pattern SET_ASIDE = Pattern.compile("const SET_ASIDE = /(.+)/;");
    private static final Pattern BUTTON = Pattern.compile("<button");
    private static final Pattern LINK = Pattern.compile("href=\\$\\{(?!href\\()([^}]*)");
    private static final String CURL = "<${Curl} of=${[request]} />";

    private static String read(String name) throws IOException {
        return Files.readString(FOLDER.resolve(name));
    }

    private static Set<String> all() throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> FOLDER.relativize(file).toString().replace('\\', '/'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Those that we have written. */
    private static List<String> own() throws IOException {
        return all().stream().filter(name -> !name.startsWith("vendor/")).toList();
    }

    @Test
    void areThoseOfTheList() throws IOException {
        Set<String> listed = new TreeSet<>(PageFiles.NAMES);
        listed.add("index.html");

        assertThat(all()).isEqualTo(listed);
    }

    @Test
    void areSmall() throws IOException {
        long bytes = 0;
        for (String name : all()) {
            bytes += Files.size(FOLDER.resolve(name));
        }
        assertThat(bytes).isLessThanOrEqualTo(MOST_BYTES);
    }

    @Test
    void beginWithTheLicence() throws IOException {
        for (String name : own()) {
            assertThat(read(name).lines().limit(2)).as(name).anyMatch(line -> line.contains("SPDX-License-Identifier"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(?i)innerHTML",
                "(?i)outerHTML",
                "(?i)srcdoc",
                "(?i)setHTML",
                "createContextualFragment",
                "DOMParser",
                "insertAdjacentHTML",
                "document\\.write",
                "\\beval\\b",
                "new Function",
                "\\bimport\\s*\\(",
                "location(\\.href)?\\s*=[^=]",
                "\\.assign\\(",
                "window\\.open",
                "(?<!=)\\bstyle=",
                "\\bon\\w+=[\"']",
                "javascript:",
                "https?://",
                "[\"'(]//",
                "localStorage",
                "\\b(TODO|FIXME)\\b"
            })
    void makeNoMarkupAndLoadNothingFromElsewhere(String forbidden) throws IOException {
        for (String name : own()) {
            assertThat(Pattern.compile(forbidden).matcher(read(name)).results().map(found -> found.group()))
                    .as(name)
                    .isEmpty();
        }
    }

    /** A link made of what somebody else has said could lead anywhere, or run something. */
    @Test
    void linkOnlyToPlacesOfThePage() throws IOException {
        Set<String> others = new TreeSet<>();
        for (String name : own()) {
            LINK.matcher(read(name)).results().forEach(found -> others.add(name + ": " + found.group(1)));
        }
        // the page itself, what begins with #/, and what the application's own configuration has
        assertThat(others)
                .containsExactly(
                        "pages/now.js: page", "parts/node.js: to ? page + href(to) : page", "parts/problem.js: anew()");
        assertThat(read("parts/node.js"))
                .contains("const pages = session().pages ?? {};")
                .contains("return Object.hasOwn(pages, name) ? pages[name] : null;")
                .contains("const page = pageOf(host);");
        assertThat(read("pages/now.js")).contains("page?.startsWith('#/') && html`<a href=${page}>");
        assertThat(read("parts/problem.js")).contains("const anew = () => location.href.split('#')[0];");
    }

    @Test
    void allowOnlyWhatIsOurs() throws IOException {
        assertThat(read("index.html"))
                .contains("content=\"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                        + " connect-src 'self'; base-uri 'none'; form-action 'none'\">")
                .doesNotContain("<style", "unsafe-");
        assertThat(Pattern.compile("<script(?![^>]* src=\"\\{files})")
                        .matcher(read("index.html"))
                        .results())
                .isEmpty();
    }

    @Test
    void importOnlyWhatOthersExport() throws IOException {
        List<String> wrong = new ArrayList<>();
        int imports = 0;
        for (String name : own()) {
            Matcher found = IMPORT.matcher(read(name));
            assertThat(ANY_IMPORT.matcher(read(name)).results().count())
                    .as("imports of %s that are written like the others", name)
                    .isEqualTo(found.results().count());
            found.reset();
            while (found.find()) {
                imports++;
                String target = FOLDER.resolve(name)
                        .resolveSibling(found.group(2))
                        .normalize()
                        .toString();
                String imported = FOLDER.normalize()
                        .relativize(Path.of(target))
                        .toString()
                        .replace('\\', '/');
                Set<String> offered = all().contains(imported) ? exports(imported) : Set.of();
                Stream.of(found.group(1).split(","))
                        .map(String::strip)
                        .filter(one -> !one.isEmpty() && !offered.contains(one))
                        .forEach(one -> wrong.add(name + " imports " + one + " from " + imported));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(imports).isGreaterThan(50);
    }

    private static Set<String> exports(String name) throws IOException {
        String text = read(name);
        if (name.equals(LIBRARY)) { // minified: export{a as h,b as html}
            String list = text.substring(text.lastIndexOf("export{") + "export{".length(), text.lastIndexOf('}'));
            return Stream.of(list.split(","))
                    .map(one -> one.replaceFirst(".* as ", ""))
                    .collect(Collectors.toSet());
        }
        return EXPORT.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toSet());
    }

    /** Stored histories have these words. What the page does not know of them is a dot. */
    @Test
    void drawWhatAHistoryTells() throws IOException {
        String others = "OTHERS";
        String clock = "CLOCK";
        Map<String, String> moves = new LinkedHashMap<>();
        moves.put(new Took("Captured", "m-1").words(), "from: " + others);
        moves.put(new SentStep("capture", "Capture").words(), "to: " + others);
        moves.put("undoing step capture", "to: " + others);
        moves.put("undone: step capture", "from: " + others);
        moves.put("timeout payment at 2026-01-01T00:00:00Z", "to: " + clock);
        moves.put("cancelled timeout payment", "to: " + clock);
        moves.put(new TimedOut("payment").words(), "from: " + clock);
        for (Action action : Action.values()) {
            BunnyRepair repair = new BunnyRepair("Order", action, null, 0, null, "why", null);
            moves.put(repair.done(), "from: OPERATORS");
            moves.put(repair.refused("it has ended"), "from: OPERATORS");
        }
        String aside = new SetAside(new BlockedOn("m-2", "Capture", "billing", "handler-failed")).words();
        for (String dot : List.of(aside, "completed", new Failed("took Captured m-1").words())) {
            moves.put(dot, "none");
        }

        String page = read("parts/history.js");
        assertThat(moves)
                .allSatisfy(
                        (words, move) -> assertThat(move(page, words)).as(words).isEqualTo(move));
        assertThat(settingAside(page, aside)).isEqualTo("billing");
        for (String written : List.of(
                new Failed("it was set aside by nobody: really").words(),
                new BunnyRepair("Order", Action.RETRY, null, 0, null, "it was set aside by nobody: really", null)
                        .done())) {
            assertThat(settingAside(page, written)).isEqualTo("none");
        }
    }

    private static String move(String page, String words) {
        return MOVE.matcher(page)
                .results()
                .filter(found -> Pattern.compile(found.group(1)).matcher(words).find())
                .map(found -> found.group(2))
                .findFirst()
                .orElse("none");
    }

    private static String settingAside(String page, String words) {
        String expression = SET_ASIDE
                .matcher(page)
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow();
        Matcher found = Pattern.compile(expression).matcher(words);
        return found.find() ? found.group("node") : "none";
    }

    /** Buttons that ask for something are in one file, which shows the curl of each, and nobody else sends anything but polls. */
    @Test
    void haveNoButtonWithoutItsCurl() throws IOException {
        Set<String> with = new TreeSet<>();
        Set<String> senders = new TreeSet<>();
        for (String name : own()) {
            String text = read(name);
            if (BUTTON.matcher(text).find()) {
                with.add(name);
            }
            IMPORT.matcher(text)
                    .results()
                    .filter(found -> Stream.of(found.group(1).split(","))
                            .anyMatch(one -> one.strip().equals("send")))
                    .forEach(found -> senders.add(name));
            assertThat(text.contains("fetch(")).as(name).isEqualTo(name.equals("ask.js"));
        }
        assertThat(senders).containsExactly("parts/action.js", "poll.js");
        // those of the table only show more of what is there already, or choose from it, that of a fault draws it anew,
        // and that of the
        // search leads to a place
        assertThat(with).containsExactly("parts/action.js", "parts/problem.js", "parts/search.js", "parts/table.js");
        assertThat(read("parts/problem.js") + read("parts/search.js") + read("parts/table.js"))
                .doesNotContain("ask.js");
        for (String asking : List.of("export function Look(", "function Dialog(")) {
            assertThat(function(read("parts/action.js"), asking))
                    .as(asking)
                    .containsOnlyOnce("send(")
                    .contains(CURL);
        }
        assertThat(read("parts/action.js").split("\\bsend\\(")).hasSize(3);
    }

    private static String function(String text, String beginning) {
        int from = text.indexOf(beginning);
        return text.substring(from, text.indexOf("\n}\n", from));
    }

    /** Another version is another checksum: look at what has changed, and at its licences. */
    @Test
    void haveOneLibraryAsItWasPublishedWithItsLicences() throws IOException, NoSuchAlgorithmException {
        byte[] library = Files.readAllBytes(FOLDER.resolve(LIBRARY));

        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(library)))
                .isEqualTo(LIBRARY_SHA_256);
        assertThat(all()).filteredOn(name -> name.startsWith("vendor/")).containsExactly("vendor/LICENSE.txt", LIBRARY);
        assertThat(read("vendor/LICENSE.txt")).contains("Apache License", "The MIT License");
    }

    @Test
    void findTheirPlaceAnywhere() {
        PageFiles files = new PageFiles();

        String index = new String(files.index("./a\"b/").bytes(), StandardCharsets.UTF_8);

        assertThat(index).contains("src=\"./a&quot;b/app.js\"").doesNotContain("{files}");
        assertThat(files.find("app.js")).isNotNull();
        assertThat(files.find("../index.html")).isNull();
        assertThat(files.find("index.html")).isNull();
    }
}
