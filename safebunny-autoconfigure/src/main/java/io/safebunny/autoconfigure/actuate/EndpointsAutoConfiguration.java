// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.BunnyOperations;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.audit.KeptEvents;
import io.safebunny.autoconfigure.actuate.http.KnownParametersOnly;
import io.safebunny.autoconfigure.actuate.http.PlainJson;
import io.safebunny.autoconfigure.actuate.http.Rights;
import io.safebunny.autoconfigure.actuate.incident.IncidentTests;
import io.safebunny.autoconfigure.actuate.page.CsrfHeaders;
import io.safebunny.autoconfigure.actuate.page.CsrfTokens;
import io.safebunny.autoconfigure.actuate.page.PageEndpoint;
import io.safebunny.autoconfigure.actuate.page.PageEndpointProperties;
import io.safebunny.autoconfigure.actuate.page.PageSession;
import io.safebunny.autoconfigure.actuate.page.ServletCsrfTokens;
import io.safebunny.autoconfigure.actuate.poison.PoisonEndpoint;
import io.safebunny.autoconfigure.actuate.poison.PoisonEndpointProperties;
import io.safebunny.autoconfigure.actuate.story.StoryEndpoint;
import io.safebunny.autoconfigure.actuate.system.NodesView;
import io.safebunny.encryption.BunnySubjects;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.incident.Incidents;
import io.safebunny.keys.KeysInUse;
import io.safebunny.message.Encodings;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.order.draining.WaitingKeys;
import io.safebunny.order.sharding.Shards;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.rabbit.preflight.TopologyWatch;
import io.safebunny.rate.leasing.RateLimits;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.scheduling.ScheduledOperations;
import io.safebunny.story.BunnyStory;
import io.safebunny.time.Timeline;
import io.safebunny.upgrade.UpgradeSamples;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.Environment;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.server.WebFilter;

/** The endpoints, if Spring Boot's actuator is on the class path and exposes them. */
@AutoConfiguration(afterName = "io.safebunny.autoconfigure.SafeBunnyAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(SafeBunnyEngine.class)
@EnableConfigurationProperties({
    NodeEndpointProperties.class,
    PoisonEndpointProperties.class,
    PageEndpointProperties.class
})
final class EndpointsAutoConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean(name = "safebunnyEndpoint")
    NodeEndpoint safebunnyEndpoint(
            SafeBunnyEngine engine,
            SafeBunnyParts parts,
            BunnyOperations operations,
            PoisonMessages poison,
            Sagas sagas,
            NodeEndpointProperties properties,
            PoisonEndpointProperties bodies,
            ObjectProvider<BodyMasker> masker,
            ObjectProvider<TopologyWatch> watch,
            ObjectProvider<AuditEventRepository> auditEvents,
            ObjectProvider<BunnySubjects> subjects,
            IncidentTests tests,
            Rights rights,
            Audit audit) {
        NodeViews views = new NodeViews(engine, parts, operations);
        NodesView nodes = new NodesView(engine.get(Nodes.class), parts.timeline());
        TopologyWatch present = watch.getIfAvailable();
        Rates rates = new Rates(engine::tallies, parts.timeline());
        NowView now = new NowView(
                engine, parts, operations, present == null || !present.asks() ? null : present::condition, rates);
        Supplier<OtherInstances> others =
                () -> engine.get(QueuePoisonMessages.class).lastKnownOfOthers();
        KeptEvents kept = new KeptEvents(audit, auditEvents::getIfAvailable, parts.timeline());
        SagaViews sagaViews = new SagaViews(masker.getIfAvailable(BodyMasker::none), properties, audit);
        SortedMap<String, Section> sections = new TreeMap<>();
        sections.put("now", Section.of(now::now));
        sections.put("topology", Section.of(new TopologyView(engine::topology, present)::look));
        sections.put("publisher", Section.of(views::publisher));
        sections.put("outbox", Section.of(views::outbox));
        sections.put("handlers", Section.ofEntries(views::handlers));
        sections.put(
                "breakers",
                new BreakerSection(parts.breakers(), rates, engine.get(RateLimits.class), operations, audit));
        sections.put("nodes", (path, asked, user) -> nodes.look(path));
        sections.put(
                "audit",
                new AuditSection(
                        kept, properties::showsAudit, poison, sagas, others, operations.instance(), parts.timeline()));
        sections.put("operations", new OperationSection(poison, audit, operations.instance(), others));
        sections.put(
                "order",
                new OrderSection(
                        parts.store() == null ? null : engine.get(WaitingKeys.class),
                        parts.options().node()));
        sections.put("keys", new KeySection(engine.get(KeysInUse.class), audit));
        sections.put("subjects", new SubjectSection(subjects.getIfAvailable(), audit));
        sections.put("shards", Section.ofEntries(new ShardsView(engine.get(Shards.class))::look));
        sections.put(
                "scheduled",
                new ScheduledSection(
                        parts.scheduling() ? engine.get(ScheduledOperations.class) : null,
                        parts.options().node(),
                        sagas,
                        audit,
                        parts.timeline()));
        sections.put(
                "sagas",
                new SagaSection(sagas, engine.get(SagaSupervision.class), sagaViews, tests, audit, parts.timeline()));
        sections.put(
                "upgrade",
                new UpgradeSection(
                        engine.get(UpgradeSamples.class),
                        masker.getIfAvailable(BodyMasker::none),
                        properties::showsStates,
                        bodies::showsBodies,
                        audit));
        return new NodeEndpoint(views, sections, rights);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean(name = "safebunnypoisonEndpoint")
    PoisonEndpoint safebunnypoisonEndpoint(
            SafeBunnyEngine engine,
            SafeBunnyParts parts,
            PoisonMessages poison,
            PoisonEndpointProperties properties,
            ObjectProvider<BodyMasker> masker,
            IncidentTests tests,
            Rights rights,
            Audit audit) {
        return new PoisonEndpoint(
                parts.options().node(),
                poison,
                masker.getIfAvailable(),
                properties,
                message -> parts.codecs().isHidden(Encodings.of(message.encoding())),
                tests,
                rights,
                audit,
                () -> engine.handlers().stream()
                        .map(HandlerDefinition::type)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean(name = "safebunnystoryEndpoint")
    StoryEndpoint safebunnystoryEndpoint(BunnyStory stories) {
        return new StoryEndpoint(stories);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean(name = "safebunnyuiEndpoint")
    PageEndpoint safebunnyuiEndpoint(
            SafeBunnyEngine engine,
            BunnyOperations operations,
            SafeBunnyParts parts,
            Rights rights,
            NodeEndpointProperties states,
            PoisonEndpointProperties bodies,
            PageEndpointProperties pages,
            ObjectProvider<BodyMasker> masker,
            ObjectProvider<CsrfTokens> csrf,
            ObjectProvider<PathMappedEndpoints> endpoints) {
        SagaSupervision sagas = engine.get(SagaSupervision.class);
        PageSession session = new PageSession(
                rights,
                states::showsStates,
                states::showsAudit,
                bodies::showsBodies,
                () -> Map.of(
                        "node",
                        parts.options().node(),
                        "instance",
                        operations.instance(),
                        "sagas",
                        !sagas.knowsSagas() || sagas.hasSagas(),
                        "masks",
                        masker.getIfAvailable() != null),
                pages,
                csrf.getIfAvailable(() -> () -> null));
        return new PageEndpoint(session, endpoints);
    }

    @Bean
    IncidentTests safebunnyIncidentTests(
            SafeBunnyEngine engine,
            NodeEndpointProperties states,
            PoisonEndpointProperties bodies,
            ObjectProvider<BodyMasker> masker,
            BeanFactory beans,
            Audit audit) {
        return new IncidentTests(
                engine.get(Incidents.class),
                masker.getIfAvailable(BodyMasker::none),
                states::showsStates,
                bodies::showsBodies,
                bodies::decrypts,
                AutoConfigurationPackages.has(beans)
                        ? AutoConfigurationPackages.get(beans).get(0)
                        : "",
                audit);
    }

    /** The page beside Spring Security on Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({CsrfToken.class, RequestContextHolder.class})
    static class OnMvc {

        @Bean
        CsrfTokens safebunnyCsrfTokens() {
            return new ServletCsrfTokens();
        }
    }

    /** The page beside Spring Security on WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({CsrfToken.class, WebFilter.class})
    static class OnWebFlux {

        @Bean
        @ConditionalOnAvailableEndpoint(endpoint = PageEndpoint.class)
        CsrfHeaders safebunnyCsrfHeaders(ObjectProvider<PathMappedEndpoints> endpoints) {
            return new CsrfHeaders(endpoints);
        }
    }

    @Bean
    OperationInvokerAdvisor safebunnyKnownParametersOnly(ListableBeanFactory beans) {
        return new KnownParametersOnly(ours(beans));
    }

    /** Around the advice above, so that what that refuses is written in the same way. */
    @Bean
    PlainJson safebunnyPlainJson(ListableBeanFactory beans, ObjectProvider<BunnyOperations> operations) {
        return new PlainJson(ours(beans), () -> operations.getObject().instance());
    }

    @Bean
    Rights safebunnyRights(
            ObjectProvider<EndpointAccessResolver> access,
            NodeEndpointProperties properties,
            Environment environment,
            Audit audit,
            ListableBeanFactory beans) {
        Rights rights = new Rights(
                access.getIfAvailable(() -> (endpoint, otherwise) -> otherwise),
                WriteRoles.of(properties.writeRoles(), environment),
                environment,
                audit);
        ours(beans).forEach(rights::warnIfNobodyAsked);
        return rights;
    }

    /** @param beans tells SafeBunny's endpoints from an application's endpoint with the same id */
    private static Set<EndpointId> ours(ListableBeanFactory beans) {
        return Stream.of(NodeEndpoint.class, PoisonEndpoint.class, StoryEndpoint.class)
                .filter(type -> beans.getBeanNamesForType(type, false, false).length > 0)
                .map(type -> EndpointId.of(
                        MergedAnnotations.from(type).get(WebEndpoint.class).getString("id")))
                .collect(Collectors.toSet());
    }

    @Bean
    Audit safebunnyAudit(ApplicationEventPublisher publisher, Timeline timeline) {
        return new Audit(publisher, timeline);
    }
}
