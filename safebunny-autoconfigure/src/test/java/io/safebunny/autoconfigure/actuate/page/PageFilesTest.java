// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
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
    private static final long MOST_BYTES = 220_000;

    private static final Pattern IMPORT = Pattern.compile("import (?:\\{([^}]*)} from )?'([^']+)';");
    private static final Pattern EXPORT = Pattern.compile("export (?:async )?(?:function\\*? |class |const )(\\w+)");
    private static final Pattern BUTTON = Pattern.compile("<button");

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
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document\\.write",
                "\\beval\\b",
                "new Function",
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

    @Test
    void allowOnlyWhatIsOurs() throws IOException {
        assertThat(read("index.html"))
                .contains("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                        + " connect-src 'self'; base-uri 'none'; form-action 'none'")
                .doesNotContain("<style", "unsafe-");
        assertThat(Pattern.compile("<script(?![^>]* src=\"\\{files})")
                        .matcher(read("index.html"))
                        .results())
                .isEmpty();
    }

    @Test
    void importOnlyWhatOthersExport() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String name : own()) {
            Matcher found = IMPORT.matcher(read(name));
            while (found.find()) {
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

    /** Buttons that ask for something are in one file, which shows the curl of each. */
    @Test
    void haveNoButtonWithoutItsCurl() throws IOException {
        Set<String> with = new TreeSet<>();
        for (String name : own()) {
            if (BUTTON.matcher(read(name)).find()) {
                with.add(name);
            }
        }
        // that of the table only shows more of what is there already
        assertThat(with).containsExactly("parts/action.js", "parts/table.js");
        assertThat(read("parts/table.js")).doesNotContain("ask.js");
        assertThat(read("parts/action.js")).contains("<${Curl} of=${[request]} />");
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
