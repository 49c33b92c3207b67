// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.spring.data.cosmos.CosmosFactory;
import com.azure.spring.data.cosmos.config.CosmosConfig;
import com.azure.spring.data.cosmos.core.ReactiveCosmosTemplate;
import com.azure.spring.data.cosmos.core.ResponseDiagnostics;
import com.azure.spring.data.cosmos.core.convert.MappingCosmosConverter;
import com.azure.spring.data.cosmos.core.mapping.CosmosMappingContext;
import com.azure.spring.data.cosmos.core.query.CosmosQuery;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.DoubleConsumer;
import reactor.core.publisher.Flux;

/**
 * Finds documents through Spring Data's template for Cosmos DB. Uses the reactive template, because the blocking one has no time limit. Not
 * a bean or a repository: a repository has one container name per entity class for the whole process, and may create that container at
 * start-up. Thread-safe.
 */
final class RecordTemplate {

    private final ReactiveCosmosTemplate template;

    /** @param charges receives the request units of each page */
    RecordTemplate(CosmosAsyncClient client, String database, DoubleConsumer charges) {
        CosmosConfig config = CosmosConfig.builder()
                .responseDiagnosticsProcessor(diagnostics -> charge(charges, diagnostics))
                .build();
        this.template = new ReactiveCosmosTemplate(new CosmosFactory(client, database), config, new Documents());
    }

    private static void charge(DoubleConsumer charges, ResponseDiagnostics diagnostics) {
        ResponseDiagnostics.CosmosResponseStatistics page = diagnostics.getCosmosResponseStatistics();
        if (page != null) { // a failed request has no page
            charges.accept(page.getRequestCharge());
        }
    }

    Flux<RecordItem> find(CosmosQuery query, String container) {
        return template.find(query, RecordItem.class, container);
    }

    /** Bypasses Spring Data's mapping, whose exceptions would contain the whole document. */
    private static final class Documents extends MappingCosmosConverter {

        Documents() {
            super(new CosmosMappingContext(), null);
        }

        @Override
        public <R> R read(Class<R> type, JsonNode document) {
            return type.cast(new RecordItem((ObjectNode) document));
        }
    }
}
