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
 * Spring Data's template for Cosmos DB as far as it is used here: to find documents of a container that the caller names. The
 * reactive one, because the other blocks without a limit. Not a bean, and no repository on top of it: a repository takes its
 * container's name from its entity's class, one for the whole process, and may create the container when it is made. Thread-safe.
 */
final class RecordTemplate {

    private final ReactiveCosmosTemplate template;

    /** @param charges gets the request units of each page */
    RecordTemplate(CosmosAsyncClient client, String database, DoubleConsumer charges) {
        CosmosConfig config = CosmosConfig.builder()
                .responseDiagnosticsProcessor(diagnostics -> charge(charges, diagnostics))
                .build();
        this.template = new ReactiveCosmosTemplate(new CosmosFactory(client, database), config, new Documents());
    }

    private static void charge(DoubleConsumer charges, ResponseDiagnostics diagnostics) {
        ResponseDiagnostics.CosmosResponseStatistics page = diagnostics.getCosmosResponseStatistics();
        if (page != null) { // of an exception there is none
            charges.accept(page.getRequestCharge());
        }
    }

    Flux<RecordItem> find(CosmosQuery query, String container) {
        return template.find(query, RecordItem.class, container);
    }

    /** Nothing is mapped: when Spring Data fails to map a document, its exception holds all of it. */
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
