// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Warns about each {@code safebunny.*} property that nothing reads, before any bean is created: Boot silently ignores misspelt
 * ones. Only a warning, because configuration files are shared with other versions and with applications that use other modules.
 * Never prints values.
 */
final class UnknownProperties implements BeanFactoryPostProcessor {

    private static final Logger LOG = LoggerFactory.getLogger(UnknownProperties.class);

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(KnownProperties.ROOT);

    private final Environment environment;

    UnknownProperties(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        ClassLoader loader = beans.getBeanClassLoader();
        KnownProperties known =
                KnownProperties.onClassPath(loader == null ? UnknownProperties.class.getClassLoader() : loader);
        if (!known.isComplete()) { // as in a shaded jar
            LOG.debug("The metadata of the properties is not on the class path: misspelt properties are not reported");
            return;
        }
        Set<ConfigurationPropertyName> told = new HashSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream()
                        .filter(ROOT::isAncestorOf)
                        .filter(name -> !known.contains(name))
                        .filter(told::add)
                        .forEach(name -> tell(name, source, known));
            }
        }
    }

    private static void tell(
            ConfigurationPropertyName name, ConfigurationPropertySource source, KnownProperties known) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        String variable = variable(property, source);
        if (variable != null && known.containsVariable(variable)) {
            return;
        }
        Optional<String> nearest = known.nearest(name.toString());
        if (variable != null && nearest.isEmpty()) {
            return; // others set variables with our prefix too: Kubernetes does for a service named safebunny
        }
        LOG.warn(
                "Unknown property [{}] is ignored: it is set in {}. {}",
                variable == null ? name : variable,
                origin(property, source),
                advice(name, nearest, known));
    }

    /** The name of the environment variable, if the property comes from one. */
    private static @Nullable String variable(
            @Nullable ConfigurationProperty property, ConfigurationPropertySource source) {
        Origin origin = property == null ? null : property.getOrigin();
        if (origin instanceof SystemEnvironmentOrigin environment) {
            return environment.getProperty();
        }
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
                        && origin instanceof PropertySourceOrigin named
                ? named.getPropertyName()
                : null;
    }

    private static String origin(@Nullable ConfigurationProperty property, ConfigurationPropertySource source) {
        if (property != null && property.getOrigin() != null) {
            return withoutCredentials(property.getOrigin().toString());
        }
        return source.getUnderlyingSource() instanceof PropertySource<?> named
                ? withoutCredentials(named.getName())
                : "the environment";
    }

    /** Addresses of imported configuration may contain a password. */
    private static String withoutCredentials(String place) {
        return place.replaceAll("//[^/@\\s]*@", "//");
    }

    private static String advice(ConfigurationPropertyName name, Optional<String> nearest, KnownProperties known) {
        return known.absentModuleOf(name)
                .map(module -> "It belongs to %s, which is not on the class path: add it, or remove the property"
                        .formatted(module))
                .or(() -> nearest.map("Did you mean %s?"::formatted))
                .orElse(
                        "Nothing reads it, and no known name is similar. Remove it, or look the name up in docs/configuration.md");
    }
}
