// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.models.CosmosBatchOperationResult;
import com.azure.cosmos.models.CosmosBatchResponse;
import io.safebunny.store.JointWrite;
import io.safebunny.store.record.MessageRecord;
import java.util.ArrayList;
import java.util.List;

/** Interprets the response to a transactional batch, which has one result per record. Pure. */
final class BatchAnswer {

    /** Status of an operation that was not carried out because another one of the batch failed. */
    private static final int FAILED_DEPENDENCY = 424;

    private BatchAnswer() {}

    static JointWrite read(String container, List<MessageRecord> records, CosmosBatchResponse answer) {
        List<CosmosBatchOperationResult> results = answer.getResults();
        List<MessageRecord> written = new ArrayList<>();
        for (int i = 0; i < Math.min(records.size(), results.size()); i++) {
            CosmosBatchOperationResult result = results.get(i);
            if (result.isSuccessStatusCode()) {
                written.add(records.get(i).withEtag(result.getETag()));
            } else if (CosmosErrors.isOvertaken(result.getStatusCode(), result.getSubStatusCode())) {
                return new JointWrite.Overtaken(records.get(i).key());
            } else if (result.getStatusCode() != FAILED_DEPENDENCY) {
                throw CosmosErrors.ofWrite(
                        CosmosCalls.Operation.BATCH,
                        container,
                        records.get(i).key(),
                        new CosmosErrors.Answer(
                                result.getStatusCode(),
                                result.getSubStatusCode(),
                                answer.getActivityId(),
                                result.getRetryAfterDuration()),
                        null);
            }
        }
        if (!answer.isSuccessStatusCode() || written.size() < records.size()) {
            throw CosmosErrors.ofWrite(
                    CosmosCalls.Operation.BATCH,
                    container,
                    records.get(0).key(),
                    new CosmosErrors.Answer(
                            answer.getStatusCode(),
                            answer.getSubStatusCode(),
                            answer.getActivityId(),
                            answer.getRetryAfterDuration()),
                    null);
        }
        return new JointWrite.Written(written);
    }
}
