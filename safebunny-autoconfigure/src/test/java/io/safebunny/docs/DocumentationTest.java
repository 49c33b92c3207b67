// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the documentation says is what the code does. */
class DocumentationTest {

    static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern CODE = Pattern.compile("SB-\\d{4}");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)(?:#[^)]*)?\\)");
    private static final Pattern PROPERTY_ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| (?:`([^`]*)`|–) \\| (.*) \\|$");
    private static final Pattern RUNG_ROW = Pattern.compile("(?m)^\\| ((?:`[a-z.]+`(?:, )?)+) \\| ");

    static String read(Path file) throws IOException {
        return Files.readString(file);
    }

    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(PROJECT.resolve("docs"));
                Stream<Path> root = Files.list(PROJECT);
                Stream<Path> sample = Files.list(PROJECT.resolve("samples/order-saga"))) {
            return Stream.of(docs, root, sample)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    static String sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            StringBuilder text = new StringBuilder();
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                text.append(read(file)).append('\n');
            }
            return text.toString();
        }
    }

    @Test
    void everyPropertyIsDocumentedWithItsDefaultAndNoOther() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Matcher row = PROPERTY_ROW.matcher(read(PROJECT.resolve("docs/configuration.md")));
        while (row.find()) {
            documented.put(row.group(1), Objects.requireNonNullElse(row.group(2), "–") + " " + row.group(3));
        }
        // their own module compares those
        documented.keySet().removeIf(name -> name.startsWith("safebunny.store.cosmos."));
        assertThat(documented).isEqualTo(metadata());
    }

    private static Map<String, String> metadata() throws IOException {
        Map<String, String> properties = new TreeMap<>();
        Enumeration<URL> modules =
                DocumentationTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json");
        while (modules.hasMoreElements()) {
            URL module = modules.nextElement();
            if (module.getPath().contains("safebunny-")) {
                try (InputStream metadata = module.openStream()) {
                    addTo(properties, JsonMapper.shared().readTree(metadata));
                }
            }
        }
        return properties;
    }

    private static void addTo(Map<String, String> properties, JsonNode metadata) {
        for (JsonNode property : metadata.get("properties")) {
            properties.put(
                    property.get("name").asString(),
                    defaultOf(property) + " " + property.get("description").asString());
        }
    }

    private static String defaultOf(JsonNode property) {
        JsonNode value = property.get("defaultValue");
        if (value == null) {
            return "–";
        }
        return value.isArray()
                ? value.valueStream().map(JsonNode::asString).collect(Collectors.joining(","))
                : value.asString();
    }

    @Test
    void everyErrorCodeIsDocumentedAndNoOther() throws IOException {
        Set<String> used = new TreeSet<>();
        for (String module : List.of(
                "safebunny-api",
                "safebunny-core",
                "safebunny-rabbit",
                "safebunny-jdbc",
                "safebunny-cosmos",
                "safebunny-crypto",
                "safebunny-vault",
                "safebunny-claimcheck",
                "safebunny-cbor",
                "safebunny-protobuf",
                "safebunny-autoconfigure")) {
            used.addAll(codes(sources(PROJECT.resolve(module).resolve("src/main/java"))));
        }
        assertThat(codes(read(PROJECT.resolve("docs/errors.md")))).isEqualTo(used);
    }

    private static Set<String> codes(String text) {
        return CODE.matcher(text)
                .results()
                .map(result -> result.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theLadderIsPrintedAsItIsEnforced() throws IOException {
        String test = read(PROJECT.resolve("safebunny-core/src/test/java/io/safebunny/LadderTest.java"));
        String array = test.substring(test.indexOf("LADDER = {"), test.indexOf("};"));
        Set<String> enforced = Pattern.compile("\"([a-z.]*)\"")
                .matcher(array)
                .results()
                .map(result -> result.group(1).isEmpty() ? "io.safebunny" : result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> printed = RUNG_ROW.matcher(read(PROJECT.resolve("ARCHITECTURE.md")))
                .results()
                .flatMap(row -> Stream.of(row.group(1).split(", ", -1)))
                .map(name -> name.replace("`", ""))
                .toList();
        assertThat(new TreeSet<>(printed)).isEqualTo(enforced);
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            Matcher link = LINK.matcher(read(page));
            while (link.find()) {
                String target = link.group(1);
                if (!target.contains("://") && !Files.exists(page.resolveSibling(target))) {
                    broken.add(PROJECT.relativize(page) + " -> " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void theReadmeIsShortAndBeginsWithCode() throws IOException {
        List<String> lines = Files.readAllLines(PROJECT.resolve("README.md"));

        assertThat(lines).hasSizeLessThanOrEqualTo(150);
        assertThat(String.join(" ", lines).split("\\s+")).hasSizeLessThanOrEqualTo(800);
        assertThat(lines.indexOf("```java")).isBetween(0, 14);
    }
}
