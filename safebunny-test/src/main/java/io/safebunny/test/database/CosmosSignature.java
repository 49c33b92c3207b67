// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The {@code Authorization} header of Cosmos DB, which covers the verb and the path. */
final class CosmosSignature {

    private CosmosSignature() {}

    /**
     * @param key of the account, in Base64
     * @param path of a document
     * @param date the header {@code x-ms-date} of the request
     */
    static String ofDocument(String key, String method, String path, String date) {
        String name = path.replaceFirst("^/+", "");
        String text =
                method.toLowerCase(Locale.ROOT) + "\ndocs\n" + name + "\n" + date.toLowerCase(Locale.ROOT) + "\n\n";
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(key), "HmacSHA256"));
            byte[] signature = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
            return URLEncoder.encode(
                    "type=master&ver=1.0&sig=" + Base64.getEncoder().encodeToString(signature), StandardCharsets.UTF_8);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java cannot sign with HMAC-SHA-256.", e);
        }
    }
}
