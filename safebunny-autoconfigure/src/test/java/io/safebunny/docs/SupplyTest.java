// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What SafeBunny is built from, and what its users get with it. */
class SupplyTest {

    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern DEPENDENCY_ROW =
            Pattern.compile("(?m)^\\| `([\\w.-]+:[\\w.-]+)` \\| [^|]+ \\| [^|]+ \\|$");

    @Test
    void eachDependencyIsListedWithItsReasonAndNoOther() throws Exception {
        Set<String> used = new TreeSet<>();
        for (Path pom : poms()) {
            used.addAll(dependencies(pom));
        }
        used.removeIf(name -> name.startsWith("io.safebunny:"));

        assertThat(DEPENDENCY_ROW
                        .matcher(Files.readString(PROJECT.resolve("docs/dependencies.md")))
                        .results()
                        .map(row -> row.group(1)))
                .containsExactlyInAnyOrderElementsOf(used);
    }

    @Test
    void theBomHasEachShippedModuleInTheVersionOfAll() throws Exception {
        Element project = project(PROJECT.resolve("pom.xml"));
        Element bom = project(PROJECT.resolve("safebunny-bom/pom.xml"));
        String version = text(project, "version");

        assertThat(text(bom, "version")).isEqualTo(version);
        assertThat(children(children(bom, "dependencyManagement").get(0), "dependencies").stream()
                        .flatMap(dependencies -> children(dependencies, "dependency").stream())
                        .map(module -> text(module, "artifactId") + " " + text(module, "version")))
                .containsExactlyInAnyOrderElementsOf(
                        shipped().map(module -> module + " " + version).toList());
    }

    @Test
    void theApiOfEachShippedModuleIsWrittenDown() throws Exception {
        assertThat(shipped()
                        .filter(module -> Files.exists(PROJECT.resolve(module).resolve("src")))
                        .map(module -> PROJECT.resolve("proof/rules/api").resolve(module + ".txt")))
                .allMatch(Files::exists);
    }

    /** Modules with a jar that are deployed. */
    private static Stream<String> shipped() throws Exception {
        List<String> shipped = new ArrayList<>();
        for (Path pom : poms()) {
            Element project = project(pom);
            boolean kept = children(project, "properties").stream()
                    .anyMatch(properties ->
                            !children(properties, "maven.deploy.skip").isEmpty());
            if (!kept && children(project, "packaging").isEmpty()) {
                shipped.add(text(project, "artifactId"));
            }
        }
        return shipped.stream();
    }

    /** That of the project and those of its modules. */
    private static List<Path> poms() throws Exception {
        Path root = PROJECT.resolve("pom.xml");
        return Stream.concat(
                        Stream.of(root),
                        children(children(project(root), "modules").get(0), "module").stream()
                                .map(module ->
                                        PROJECT.resolve(module.getTextContent()).resolve("pom.xml")))
                .toList();
    }

    private static Set<String> dependencies(Path pom) throws Exception {
        return children(project(pom), "dependencies").stream()
                .flatMap(dependencies -> children(dependencies, "dependency").stream())
                .map(dependency -> text(dependency, "groupId") + ":" + text(dependency, "artifactId"))
                .collect(Collectors.toSet());
    }

    private static Element project(Path pom) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(pom.toFile())
                .getDocumentElement();
    }

    private static List<Element> children(Element parent, String name) {
        NodeList nodes = parent.getChildNodes();
        return Stream.iterate(0, i -> i < nodes.getLength(), i -> i + 1)
                .<Node>map(nodes::item)
                .filter(node -> name.equals(node.getNodeName()))
                .map(Element.class::cast)
                .toList();
    }

    private static String text(Element parent, String name) {
        return children(parent, name).get(0).getTextContent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.safebunny.Bunny",
                "io.safebunny.rabbit.RabbitTransport",
                "io.safebunny.jdbc.sql.JdbcSchema",
                "io.safebunny.autoconfigure.SafeBunnyAutoConfiguration",
                "io.safebunny.test.broker.TestBroker"
            })
    void eachModuleHasItsLicence(Class<?> inModule) throws IOException {
        for (String file : List.of("LICENSE", "NOTICE")) {
            assertThat(ofTheSameModule(inModule, "META-INF/" + file))
                    .as(file)
                    .isEqualTo(Files.readString(PROJECT.resolve(file)));
        }
    }

    private static String ofTheSameModule(Class<?> inModule, String resource) throws IOException {
        URL module = inModule.getProtectionDomain().getCodeSource().getLocation();
        URL file = module.getPath().endsWith(".jar")
                ? new URL("jar:" + module + "!/" + resource)
                : new URL(module, resource);
        var connection = file.openConnection();
        if (connection instanceof JarURLConnection jar) {
            jar.setUseCaches(false);
        }
        try (var content = connection.getInputStream()) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void mavenTakesNothingWithoutAChecksumThatFits() throws IOException {
        assertThat(Files.readAllLines(PROJECT.resolve(".mvn/maven.config"))).contains("--strict-checksums");
    }
}
