// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The {@code safebunny.*} properties of all modules on the class path, and the lookup of the one a misspelt name may have meant.
 * Compares names as Boot does, ignoring case, dashes and underscores. Immutable.
 */
final class KnownProperties {

    private static final Logger LOG = LoggerFactory.getLogger(KnownProperties.class);

    static final String ROOT = "safebunny";

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    /** Name prefixes of the optional modules' properties, with the module. */
    private static final Map<String, String> OPTIONAL = Map.of(
            "safebunny.store.jdbc.", "safebunny-jdbc",
            "safebunny.outbox.", "safebunny-jdbc",
            "safebunny.store.cosmos.", "safebunny-cosmos");

    private final Map<String, Known> byUniformName = new TreeMap<>();

    private record Known(String name, boolean isMap, boolean isList) {}

    /** @param typesByName each property's class name by its documented name */
    KnownProperties(Map<String, String> typesByName) {
        typesByName.forEach((name, type) -> byUniformName.put(
                uniform(name),
                new Known(
                        name,
                        type.startsWith("java.util.Map"),
                        type.startsWith("java.util.List") || type.endsWith("[]"))));
    }

    /**
     * Reads the metadata that each module's build generates. Unreadable metadata makes the result incomplete rather than failing
     * the start.
     */
    static KnownProperties onClassPath(ClassLoader loader) {
        Map<String, String> types = new TreeMap<>();
        try {
            for (URL module : Collections.list(loader.getResources(METADATA))) {
                String json = read(module);
                if (json.contains("\"" + ROOT + ".")) { // most of these files are Boot's own
                    addTo(types, JsonMapper.shared().readTree(json));
                }
            }
        } catch (IOException | JacksonException e) {
            LOG.debug("The metadata of the properties cannot be read: misspelt properties are not reported", e);
            types.clear();
        }
        return new KnownProperties(types);
    }

    private static String read(URL module) throws IOException {
        URLConnection connection = module.openConnection();
        connection.setUseCaches(false); // the cache would keep the jar file open until the process ends
        try (InputStream metadata = connection.getInputStream()) {
            return new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void addTo(Map<String, String> types, JsonNode metadata) {
        for (JsonNode property : metadata.path("properties")) {
            String name = property.path("name").asString("");
            if (name.startsWith(ROOT + ".")) {
                types.put(name, property.path("type").asString(""));
            }
        }
    }

    /** Whether the metadata was found, so that an unknown name means a misspelt one. */
    boolean isComplete() {
        return byUniformName.containsKey(uniform("safebunny.node"));
    }

    /** Whether the property is known, or lies within a known map or list. */
    boolean contains(ConfigurationPropertyName name) {
        if (byUniformName.containsKey(uniform(name.toString()))) {
            return true;
        }
        for (int size = name.getNumberOfElements() - 1; size > 1; size--) {
            Known holder = byUniformName.get(uniform(name.chop(size).toString()));
            if (holder != null) {
                return holder.isMap() || (holder.isList() && name.isNumericIndex(size));
            }
        }
        return false;
    }

    /**
     * Whether Boot binds the environment variable to a known property, in its canonical form or in the legacy form with an
     * underscore for each dash.
     */
    boolean containsVariable(String variable) {
        String upper = variable.toUpperCase(Locale.ROOT);
        return byUniformName.values().stream().anyMatch(known -> {
            String older = known.name().toUpperCase(Locale.ROOT).replace('.', '_');
            return isVariableOf(upper, known, older.replace("-", ""))
                    || isVariableOf(upper, known, older.replace('-', '_'));
        });
    }

    private static boolean isVariableOf(String variable, Known known, String name) {
        return variable.equals(name) || ((known.isMap() || known.isList()) && variable.startsWith(name + "_"));
    }

    /** The optional module that would read the property, if it is not on the class path. */
    Optional<String> absentModuleOf(ConfigurationPropertyName name) {
        return OPTIONAL.entrySet().stream()
                .filter(module -> uniform(name.toString()).startsWith(uniform(module.getKey())))
                .filter(module ->
                        byUniformName.keySet().stream().noneMatch(known -> known.startsWith(uniform(module.getKey()))))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** The closest known name: one that differs in a few letters, or only in its group. */
    Optional<String> nearest(String misspelt) {
        String uniform = uniform(misspelt);
        return byUniformName.entrySet().stream()
                .map(known -> Map.entry(
                        distance(uniform, known.getKey()), known.getValue().name()))
                .filter(known -> known.getKey() <= Math.max(1, (uniform.length() - ROOT.length()) / 5))
                .min(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .or(() -> inAnotherGroup(uniform));
    }

    private Optional<String> inAnotherGroup(String uniform) {
        String last = lastOf(uniform);
        List<String> same = byUniformName.entrySet().stream()
                .filter(known -> lastOf(known.getKey()).equals(last))
                .map(known -> known.getValue().name())
                .toList();
        return same.size() == 1 ? Optional.of(same.get(0)) : Optional.empty();
    }

    private static String lastOf(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /**
     * Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours that turn one text into the
     * other.
     */
    private static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                cost[i][j] = Math.min(Math.min(cost[i - 1][j], cost[i][j - 1]) + 1, cost[i - 1][j - 1] + change);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }

    private static String uniform(String name) {
        return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
    }
}
