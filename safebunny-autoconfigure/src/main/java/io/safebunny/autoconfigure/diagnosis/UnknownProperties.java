// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.diagnosis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Warns about each {@code safebunny.*} property, and each of our endpoints, that nothing reads, before any bean is created: Boot silently
 * ignores a property that is misspelt or no longer exists. Only a warning, because configuration files are shared with other versions and with
 * applications that use other modules. Never prints values. Without the metadata, as in some shaded jars, it reports nothing.
 */
public final class UnknownProperties implements BeanFactoryPostProcessor {

    private static final Logger LOG = LoggerFactory.getLogger(UnknownProperties.class);

    private static final ConfigurationPropertyName NODE = ConfigurationPropertyName.of("safebunny.node");
    /** Of the node, and of its endpoints. */
    private static final List<ConfigurationPropertyName> ROOTS = Stream.of(
                    "safebunny",
                    "management.endpoint.safebunny",
                    "management.endpoint.safebunnypoison",
                    "management.endpoint.safebunnyui")
            .map(ConfigurationPropertyName::of)
            .toList();

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    private final Environment environment;

    public UnknownProperties(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        ClassLoader loader = beans.getBeanClassLoader();
        Map<ConfigurationPropertyName, Boolean> known =
                onClassPath(loader == null ? UnknownProperties.class.getClassLoader() : loader);
        if (!known.containsKey(NODE)) {
            LOG.debug("The metadata of the properties is not on the class path: unknown properties are not reported");
            return;
        }
        Set<ConfigurationPropertyName> reported = new HashSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
                iterable.stream()
                        .filter(UnknownProperties::isOurs)
                        .filter(name -> variables ? isUnknownVariable(name, known) : !isKnown(name, known))
                        .filter(reported::add)
                        .forEach(name -> LOG.warn(
                                "Unknown property [{}] is ignored: it is set in {}. Remove it, add the module that reads it, or"
                                        + " look up its name in docs/configuration.md",
                                name,
                                origin(source.getConfigurationProperty(name), source)));
            }
        }
    }

    private static boolean isOurs(ConfigurationPropertyName name) {
        return ROOTS.stream().anyMatch(root -> root.isAncestorOf(name));
    }

    /**
     * The known properties, from the metadata that each module's build generates. The value tells whether a property has further elements,
     * as maps and lists do.
     */
    static Map<ConfigurationPropertyName, Boolean> onClassPath(ClassLoader loader) {
        Map<ConfigurationPropertyName, Boolean> known = new HashMap<>();
        try {
            for (URL module : Collections.list(loader.getResources(METADATA))) {
                URLConnection connection = module.openConnection();
                connection.setUseCaches(false); // the cache would keep the jar file open until the process ends
                try (InputStream metadata = connection.getInputStream()) {
                    addTo(known, JsonMapper.shared().readTree(metadata));
                }
            }
            // of each endpoint, whether our metadata has them or not
            ROOTS.stream().skip(1).forEach(endpoint -> {
                known.put(endpoint.append("enabled"), false);
                known.put(endpoint.append("cache").append("time-to-live"), false);
            });
            return known;
        } catch (IOException | JacksonException e) {
            LOG.debug("The metadata of the properties cannot be read", e);
            return Map.of();
        }
    }

    private static void addTo(Map<ConfigurationPropertyName, Boolean> known, JsonNode metadata) {
        for (JsonNode property : metadata.path("properties")) {
            String name = property.path("name").asString("");
            if (name.startsWith("safebunny.") || name.startsWith("management.endpoint.safebunny")) {
                String type = property.path("type").asString("");
                boolean hasElements = Stream.of("java.util.Map", "java.util.List", "java.util.Set")
                        .anyMatch(type::startsWith);
                known.put(ConfigurationPropertyName.of(name), hasElements);
            }
        }
    }

    private static boolean isKnown(ConfigurationPropertyName name, Map<ConfigurationPropertyName, Boolean> known) {
        if (known.containsKey(name)) {
            return true;
        }
        ConfigurationPropertyName holder = name.getParent();
        while (holder.getNumberOfElements() > 1 && !known.containsKey(holder)) {
            holder = holder.getParent();
        }
        return known.getOrDefault(holder, false);
    }

    /**
     * Ignores variables outside our sections, because others use our prefix too: Kubernetes sets {@code SAFEBUNNY_SERVICE_HOST} for a
     * service named safebunny. Names are compared without separators, because Boot lets an underscore stand for a dot or a dash, and allows
     * dashes to be omitted.
     */
    private static boolean isUnknownVariable(
            ConfigurationPropertyName variable, Map<ConfigurationPropertyName, Boolean> known) {
        ConfigurationPropertyName section = variable.chop(2);
        String flat = flat(variable);
        return known.keySet().stream().anyMatch(name -> section.isAncestorOf(name))
                && known.entrySet().stream().noneMatch(name -> {
                    String knownFlat = flat(name.getKey());
                    return name.getValue() ? flat.startsWith(knownFlat) : flat.equals(knownFlat);
                });
    }

    private static String flat(ConfigurationPropertyName name) {
        StringBuilder flat = new StringBuilder();
        for (int i = 0; i < name.getNumberOfElements(); i++) {
            flat.append(name.getElement(i, Form.UNIFORM).toLowerCase(Locale.ROOT));
        }
        return flat.toString();
    }

    /** Addresses of imported configuration may contain a password. */
    private static String origin(@Nullable ConfigurationProperty property, ConfigurationPropertySource source) {
        String place = "the environment";
        if (property != null && property.getOrigin() != null) {
            place = property.getOrigin().toString();
        } else if (source.getUnderlyingSource() instanceof PropertySource<?> named) {
            place = named.getName();
        }
        return place.replaceAll("//[^/@\\s]*@", "//");
    }
}
