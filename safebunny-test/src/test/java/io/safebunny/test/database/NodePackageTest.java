// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What npm gets to install is the same for everybody, by content. */
class NodePackageTest {

    private static final String NAME = "cosmos-server";

    private final JsonMapper json = new JsonMapper();

    @Test
    void everyPackageIsNamedByTheHashOfItsContentAndByNoHost() {
        String text =
                new String(NodePackage.resource(CosmosServer.class, NAME, NodePackage.LOCK), StandardCharsets.UTF_8);

        assertThat(text).doesNotContain("://");
        for (Map.Entry<String, JsonNode> entry :
                json.readTree(text).path("packages").properties()) {
            if (!entry.getKey().isEmpty()) { // that one is ours
                assertThat(entry.getValue().path("integrity").asString())
                        .as(entry.getKey())
                        .startsWith("sha512-");
            }
        }
    }

    @Test
    void noPackageWantsToRunAScriptWhenItIsInstalled() {
        for (JsonNode found : json.readTree(NodePackage.resource(CosmosServer.class, NAME, NodePackage.LOCK))
                .path("packages")) {
            assertThat(found.has("hasInstallScript")).isFalse();
        }
    }

    @Test
    void theLockFileIsThatOfThePackageFile() {
        JsonNode wanted = json.readTree(NodePackage.resource(CosmosServer.class, NAME, "package.json"));
        JsonNode locked = json.readTree(NodePackage.resource(CosmosServer.class, NAME, NodePackage.LOCK));

        assertThat(locked.path("packages").path("").path("dependencies")).isEqualTo(wanted.path("dependencies"));
        wanted.path("dependencies")
                .forEach(version -> assertThat(version.asString()).matches("\\d+\\.\\d+\\.\\d+"));
    }
}
