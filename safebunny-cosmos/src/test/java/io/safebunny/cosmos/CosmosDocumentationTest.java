// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of properties says what the code does. */
class CosmosDocumentationTest {

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(safebunny\\.store\\.cosmos\\.[^`]+)` \\| (?:`([^`]*)`|–) \\| (.*) \\|$");

    @Test
    void everyPropertyIsDocumentedWithItsDefaultAndNoOther() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("../docs/configuration.md")));
        while (row.find()) {
            documented.put(row.group(1), Objects.requireNonNullElse(row.group(2), "–") + " " + row.group(3));
        }
        assertThat(documented).isEqualTo(metadata());
    }

    private static Map<String, String> metadata() throws IOException {
        Map<String, String> properties = new TreeMap<>();
        // the file, for other libraries on the class path have one of the same name
        try (InputStream file =
                Files.newInputStream(Path.of("target/classes/META-INF/spring-configuration-metadata.json"))) {
            for (JsonNode property : new ObjectMapper().readTree(file).get("properties")) {
                properties.put(
                        property.get("name").asText(),
                        property.path("defaultValue").asText("–") + " "
                                + property.get("description").asText());
            }
        }
        return properties;
    }
}
