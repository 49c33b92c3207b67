// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.message.Headers;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.StoreAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Small bodies that would be large ones, sent to processes that have no memory for these. */
record BombsRow(StoreAddress store) {

    private static final int BOMBS = 10;
    private static final int PORTION = 1_000_000;
    private static final int PORTIONS = 1_000;
    private static final int NOTES = 30;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    Finding find() throws Exception {
        byte[] bomb = bomb();
        try (Live live = new Live();
                Ledger ledger = new Ledger();
                KeyFile keys = new KeyFile();
                Bank bank = new Bank(live, store, ledger, keys, new Random(0))) {
            send(live, bomb);
            await(() -> live.depth("bank", "poison") >= BOMBS);
            try (Node desk = bank.desk()) {
                for (int number = 0; number < NOTES; number++) {
                    var unused = desk.bunny().publish(new Note(number, "still there"));
                }
                await(() -> bank.handled() >= NOTES);
            }
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("bodies", BOMBS);
            figures.put("bytes of each", bomb.length);
            figures.put("bytes of each, decoded", (long) PORTION * PORTIONS);
            figures.put("set aside", live.depth("bank", "poison"));
            figures.put("instances that still run", bank.alive());
            figures.put("others handled afterwards", bank.handled());
            return new Finding(
                    live.depth("bank", "poison") == BOMBS && bank.alive() == Bank.INSTANCES && bank.handled() == NOTES,
                    figures);
        }
    }

    private static byte[] bomb() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] zeros = new byte[PORTION];
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            for (int portion = 0; portion < PORTIONS; portion++) {
                gzip.write(zeros);
            }
        }
        return bytes.toByteArray();
    }

    private static void send(Live live, byte[] bomb) throws Exception {
        try (Connection connection = live.connect();
                Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            for (int number = 0; number < BOMBS; number++) {
                BasicProperties properties = new BasicProperties.Builder()
                        .messageId(UUID.randomUUID().toString())
                        .correlationId("bomb-" + number)
                        .appId(live.name("desk"))
                        .type(Note.class.getSimpleName())
                        .contentType("application/json")
                        .contentEncoding("gzip")
                        .deliveryMode(2)
                        .headers(Map.of(Headers.MARKER, 0, Headers.SENT_AT, System.currentTimeMillis()))
                        .build();
                channel.basicPublish("", live.name("bank") + "-Note", properties, bomb);
            }
            channel.waitForConfirmsOrDie(PATIENCE.toMillis());
        }
    }

    private static void await(java.util.concurrent.Callable<Boolean> end) {
        try {
            Awaitility.await().atMost(PATIENCE).until(end);
        } catch (ConditionTimeoutException e) {
            // what is missing is in the figures
        }
    }
}
