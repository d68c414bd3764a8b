//! Secrets of every form, put together when the tests run, so that none stands in this file.

use std::fmt::Write as _;

/// A part of an invented secret.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// These characters.
    Is(&'static str),
    /// So many letters and digits.
    Mixed(usize),
    /// So many small letters and digits.
    Small(usize),
    /// So many capitals and digits from 2 to 7.
    Capitals(usize),
    /// So many hexadecimal digits.
    Hex(usize),
    /// So many digits.
    Digits(usize),
    /// A UUID.
    Uuid,
    /// Base 64 of something.
    Base64(&'static str),
}

use Part::{Base64, Capitals, Digits, Hex, Is, Mixed, Small, Uuid};

/// A form: its kind, what stands before the secret, the secret, what stands behind it.
pub(crate) struct Form {
    pub(crate) kind: &'static str,
    before: &'static str,
    parts: &'static [Part],
    after: &'static str,
}

impl Form {
    /// The text around the secret, and the secret in it.
    pub(crate) fn made(&self) -> (String, String) {
        let secret = made(self.kind, self.parts);
        (format!("{}{secret}{}", self.before, self.after), secret)
    }
}

/// Puts parts together; the same seed gives the same text.
pub(crate) fn made(seed: &str, parts: &[Part]) -> String {
    let mut random = Random(
        seed.bytes()
            .fold(0x9e37_79b9_7f4a_7c15, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
    );
    let mut text = String::new();
    for part in parts {
        match *part {
            Is(same) => text.push_str(same),
            Mixed(count) => random.add(
                &mut text,
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                count,
            ),
            Small(count) => random.add(&mut text, b"abcdefghijklmnopqrstuvwxyz0123456789", count),
            Capitals(count) => random.add(&mut text, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", count),
            Hex(count) => random.add(&mut text, b"0123456789abcdef", count),
            Digits(count) => random.add(&mut text, b"123456789", count),
            Uuid => {
                for (at, count) in [8, 4, 4, 4, 12].into_iter().enumerate() {
                    text.push_str(if at == 0 { "" } else { "-" });
                    random.add(&mut text, b"0123456789abcdef", count);
                }
            }
            Base64(meant) => text.push_str(&base_64(meant.as_bytes())),
        }
    }
    text
}

struct Random(u64);

impl Random {
    fn add(&mut self, text: &mut String, letters: &[u8], count: usize) {
        for _ in 0..count {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push(char::from(letters[(self.0 >> 33) as usize % letters.len()]));
        }
    }
}

pub(crate) fn base_64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..=three.len() {
            text.push(char::from(LETTERS[(bits >> (18 - 6 * at)) as usize & 63]));
        }
    }
    text
}

/// A private key of some kind.
pub(crate) fn private_key(label: &str, end_of_line: &str) -> String {
    let dashes = "-".repeat(5);
    let mut text = format!("{dashes}BEGIN {label}{dashes}{end_of_line}");
    for at in 0..6 {
        let _ = write!(text, "{}{end_of_line}", made(&format!("{label}{at}"), &[Mixed(64)]));
    }
    text + &format!("{dashes}END {label}{dashes}")
}

const fn form(kind: &'static str, parts: &'static [Part]) -> Form {
    Form { kind, before: "", parts, after: "" }
}

const fn assigned(kind: &'static str, before: &'static str, parts: &'static [Part]) -> Form {
    Form { kind, before, parts, after: "" }
}

/// Every form but private keys.
pub(crate) static FORMS: &[Form] = &[
    form("aws-access-key", &[Is("AK"), Is("IA"), Capitals(16)]),
    assigned("aws-secret-key", "AWS_SECRET_ACCESS_KEY=", &[Mixed(20), Is("/"), Mixed(19)]),
    assigned("aws-session-token", "AWS_SESSION_TOKEN=", &[Mixed(220)]),
    form("aws-bedrock-key", &[Is("AB"), Is("SK"), Mixed(120)]),
    form("google-api-key", &[Is("AI"), Is("za"), Mixed(35)]),
    form("google-oauth-token", &[Is("ya"), Is("29."), Mixed(60), Is("-"), Mixed(60)]),
    form("google-oauth-secret", &[Is("GOC"), Is("SPX-"), Mixed(28)]),
    form("google-refresh-token", &[Is("1/"), Is("/0"), Mixed(60)]),
    assigned("azure-storage-key", "AccountName=a;AccountKey=", &[Mixed(86), Is("==")]),
    form("azure-client-secret", &[Mixed(3), Digits(1), Is("Q"), Is("~"), Mixed(33)]),
    assigned(
        "azure-shared-signature",
        "https://a.blob.core.windows.net/b?sp=r&sig=",
        &[Mixed(43), Is("%3D")],
    ),
    form("azure-devops-token", &[Mixed(76), Is("AZ"), Is("DO"), Mixed(4)]),
    form("alibaba-access-key", &[Is("LT"), Is("AI"), Mixed(20)]),
    form("digitalocean-token", &[Is("dop"), Is("_v1_"), Hex(64)]),
    form("heroku-key", &[Is("HR"), Is("KU-"), Is("AA"), Mixed(58)]),
    assigned("heroku-key-assigned", "HEROKU_API_KEY=", &[Uuid]),
    assigned("cloudflare-key", "CLOUDFLARE_API_TOKEN: ", &[Mixed(40)]),
    form("cloudflare-origin-key", &[Is("v1"), Is(".0-"), Hex(24), Is("-"), Hex(146)]),
    form("fly-token", &[Is("fo"), Is("1_"), Mixed(43)]),
    assigned("vercel-token", "VERCEL_TOKEN=", &[Mixed(24)]),
    form("vercel-blob-token", &[Is("vercel_"), Is("blob_rw_"), Mixed(16), Is("_"), Mixed(30)]),
    assigned("firebase-secret", "https://a.firebaseio.com/b.json?auth=", &[Mixed(40)]),
    form("netlify-token", &[Is("nf"), Is("p_"), Mixed(36)]),
    assigned("scaleway-key", "SCW_SECRET_KEY=", &[Uuid]),
    form("yandex-key", &[Is("AQ"), Is("VN"), Mixed(36)]),
    form("openshift-token", &[Is("sha"), Is("256~"), Mixed(43)]),
    form("tailscale-key", &[Is("ts"), Is("key-auth-"), Mixed(17), Is("-"), Mixed(32)]),
    form("pulumi-token", &[Is("pu"), Is("l-"), Hex(40)]),
    form("terraform-token", &[Mixed(14), Is(".atlas"), Is("v1."), Mixed(66)]),
    form("vault-token", &[Is("hv"), Is("s."), Mixed(95)]),
    form("doppler-token", &[Is("dp"), Is(".pt."), Mixed(43)]),
    form("1password-token", &[Is("op"), Is("s_eyJ"), Mixed(260)]),
    form(
        "1password-secret-key",
        &[
            Is("A"),
            Is("3-"),
            Capitals(6),
            Is("-"),
            Capitals(6),
            Is("-"),
            Capitals(5),
            Is("-"),
            Capitals(5),
            Is("-"),
            Capitals(5),
            Is("-"),
            Capitals(5),
        ],
    ),
    form("dynatrace-token", &[Is("dt0"), Is("c01."), Capitals(24), Is("."), Capitals(64)]),
    form("github-token", &[Is("gh"), Is("p_"), Mixed(36)]),
    form("github-token", &[Is("gh"), Is("o_"), Mixed(36)]),
    form("github-token", &[Is("gh"), Is("u_"), Mixed(36)]),
    form("github-token", &[Is("gh"), Is("s_"), Mixed(36)]),
    form("github-token", &[Is("gh"), Is("r_"), Mixed(76)]),
    form("github-fine-grained-token", &[Is("github"), Is("_pat_"), Mixed(22), Is("_"), Mixed(59)]),
    form("gitlab-token", &[Is("gl"), Is("pat-"), Mixed(20)]),
    form("gitlab-token", &[Is("gl"), Is("dt-"), Mixed(20)]),
    form("gitlab-token", &[Is("gl"), Is("rt-"), Is("t1_"), Mixed(27), Is("."), Hex(2), Small(7)]),
    form("gitlab-token", &[Is("gl"), Is("ptt-"), Hex(40)]),
    form("gitlab-runner-token", &[Is("GR13"), Is("48941"), Mixed(20)]),
    form("bitbucket-password", &[Is("AT"), Is("BB"), Mixed(32)]),
    form("npm-token", &[Is("np"), Is("m_"), Mixed(36)]),
    form("pypi-token", &[Is("py"), Is("pi-AgE"), Is("IcHlwaS5vcmc"), Mixed(120)]),
    form("crates-io-token", &[Is("ci"), Is("o"), Mixed(32)]),
    form("rubygems-key", &[Is("ruby"), Is("gems_"), Hex(48)]),
    form("nuget-key", &[Is("oy"), Is("2"), Small(43)]),
    form("clojars-token", &[Is("CLO"), Is("JARS_"), Small(60)]),
    form("docker-token", &[Is("dckr"), Is("_pat_"), Mixed(27)]),
    form("artifactory-key", &[Is("AK"), Is("Cp"), Mixed(69)]),
    form("artifactory-reference", &[Is("cmVm"), Is("dGtu"), Mixed(56)]),
    form("buildkite-token", &[Is("bk"), Is("ua_"), Hex(40)]),
    form("circleci-token", &[Is("CCI"), Is("PAT_"), Mixed(22), Is("_"), Hex(40)]),
    form("sonar-token", &[Is("sq"), Is("p_"), Hex(40)]),
    form("sourcegraph-token", &[Is("sg"), Is("p_"), Hex(16), Is("_"), Hex(40)]),
    form("octopus-key", &[Is("AP"), Is("I-"), Capitals(26)]),
    form("launchdarkly-key", &[Is("sd"), Is("k-"), Uuid]),
    form("prefect-key", &[Is("pn"), Is("u_"), Mixed(36)]),
    form("postman-key", &[Is("PM"), Is("AK-"), Hex(24), Is("-"), Hex(34)]),
    form("readme-key", &[Is("rd"), Is("me_"), Small(70)]),
    form("infracost-key", &[Is("ic"), Is("o-"), Mixed(32)]),
    form("harness-token", &[Is("pa"), Is("t."), Mixed(22), Is("."), Mixed(24), Is("."), Mixed(20)]),
    form("openai-key", &[Is("sk"), Is("-proj-"), Mixed(74), Is("T3Blb"), Is("kFJ"), Mixed(74)]),
    form("anthropic-key", &[Is("sk"), Is("-ant-"), Is("api03-"), Mixed(93), Is("AA")]),
    form("openrouter-key", &[Is("sk"), Is("-or-v1-"), Hex(64)]),
    form("langfuse-key", &[Is("sk"), Is("-lf-"), Uuid]),
    form("sk-key", &[Is("sk"), Is("-"), Mixed(48)]),
    form("huggingface-token", &[Is("h"), Is("f_"), Mixed(34)]),
    form("groq-key", &[Is("gs"), Is("k_"), Mixed(52)]),
    form("xai-key", &[Is("xa"), Is("i-"), Mixed(80)]),
    form("perplexity-key", &[Is("pp"), Is("lx-"), Mixed(48)]),
    form("replicate-token", &[Is("r"), Is("8_"), Mixed(37)]),
    form("nvidia-key", &[Is("nv"), Is("api-"), Mixed(64)]),
    form("langsmith-key", &[Is("ls"), Is("v2_pt_"), Hex(32), Is("_"), Hex(10)]),
    form("pinecone-key", &[Is("pc"), Is("sk_"), Mixed(6), Is("_"), Mixed(63)]),
    form("tavily-key", &[Is("tv"), Is("ly-"), Mixed(32)]),
    form("slack-token", &[Is("xo"), Is("xb-"), Digits(12), Is("-"), Digits(12), Is("-"), Mixed(24)]),
    form("slack-token", &[Is("xo"), Is("xp-"), Digits(12), Is("-"), Digits(12), Is("-"), Hex(32)]),
    form("slack-app-token", &[Is("xa"), Is("pp-1-"), Capitals(11), Is("-"), Digits(12), Is("-"), Hex(64)]),
    assigned(
        "slack-webhook",
        "https://hooks.slack.com/services/",
        &[Is("T"), Capitals(9), Is("/B"), Capitals(9), Is("/"), Mixed(24)],
    ),
    assigned("discord-webhook", "https://discord.com/api/webhooks/123456789012345678/", &[Mixed(68)]),
    assigned("discord-token", "DISCORD_TOKEN=", &[Is("M"), Mixed(25), Is("."), Mixed(6), Is("."), Mixed(38)]),
    form("discord-bot-token", &[Is("M"), Is("T"), Mixed(24), Is("."), Mixed(6), Is("."), Mixed(38)]),
    assigned(
        "teams-webhook",
        "https://acme.webhook.office.com/webhookb2/",
        &[Uuid, Is("@"), Uuid, Is("/Incoming"), Is("Webhook/"), Hex(32), Is("/"), Uuid],
    ),
    form("telegram-token", &[Digits(10), Is(":A"), Is("A"), Mixed(33)]),
    assigned("telegram-token", "https://api.telegram.org/bot", &[Digits(9), Is(":A"), Is("A"), Mixed(33)]),
    form("sendgrid-key", &[Is("S"), Is("G."), Mixed(22), Is("."), Mixed(43)]),
    form("mailgun-key", &[Is("ke"), Is("y-"), Hex(32)]),
    form("mailchimp-key", &[Hex(32), Is("-u"), Is("s12")]),
    form("brevo-key", &[Is("xkey"), Is("sib-"), Hex(64), Is("-"), Mixed(16)]),
    form("twilio-key", &[Is("S"), Is("K"), Hex(32)]),
    form("stripe-key", &[Is("sk"), Is("_live_"), Mixed(24)]),
    form("stripe-key", &[Is("rk"), Is("_test_"), Mixed(24)]),
    form("stripe-webhook-secret", &[Is("wh"), Is("sec_"), Mixed(32)]),
    form("square-token", &[Is("sq0"), Is("atp-"), Mixed(22)]),
    form("square-token", &[Is("EA"), Is("AA"), Mixed(60)]),
    form("shopify-token", &[Is("shp"), Is("at_"), Hex(32)]),
    form("plaid-token", &[Is("access"), Is("-production-"), Uuid]),
    form("flutterwave-key", &[Is("FLW"), Is("SECK-"), Hex(32), Is("-X")]),
    form("easypost-key", &[Is("EZ"), Is("AK"), Mixed(54)]),
    form("shippo-token", &[Is("ship"), Is("po_live_"), Hex(40)]),
    form("duffel-token", &[Is("duf"), Is("fel_live_"), Mixed(43)]),
    assigned("datadog-key", "DD_API_KEY=", &[Hex(32)]),
    form("newrelic-key", &[Is("NR"), Is("AK-"), Capitals(27)]),
    form("grafana-token", &[Is("gl"), Is("sa_"), Mixed(32), Is("_"), Hex(8)]),
    form("sentry-token", &[Is("sntr"), Is("yu_"), Hex(64)]),
    form("supabase-token", &[Is("sb"), Is("p_"), Hex(40)]),
    form("planetscale-token", &[Is("psc"), Is("ale_tkn_"), Mixed(43)]),
    form("databricks-token", &[Is("da"), Is("pi"), Hex(32)]),
    form("airtable-token", &[Is("pa"), Is("t"), Mixed(14), Is("."), Hex(64)]),
    form("linear-key", &[Is("lin"), Is("_api_"), Mixed(40)]),
    form("notion-token", &[Is("nt"), Is("n_"), Mixed(46)]),
    form("figma-token", &[Is("fi"), Is("gd_"), Mixed(40)]),
    form("atlassian-token", &[Is("ATA"), Is("TT3"), Mixed(180), Is("="), Hex(8)]),
    form("typeform-token", &[Is("tf"), Is("p_"), Mixed(44)]),
    form("contentful-token", &[Is("CF"), Is("PAT-"), Mixed(43)]),
    form("frameio-token", &[Is("fi"), Is("o-u-"), Mixed(64)]),
    form("dropbox-token", &[Is("s"), Is("l."), Mixed(140)]),
    form(
        "age-key",
        &[
            Is("AGE-SECRET"),
            Is("-KEY-1"),
            Is("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
            Is("9X8GF2TVDW0S3JN54KHCE6MUA7"),
        ],
    ),
    form(
        "jwt",
        &[
            Base64("{\"alg\":\"HS256\"}"),
            Is("."),
            Base64("{\"sub\":\"1234\",\"aud\":\"x\"}"),
            Is("."),
            Mixed(43),
        ],
    ),
    assigned("bearer-token", "Authorization: Bearer ", &[Mixed(40)]),
    assigned("basic-auth", "Authorization: Basic ", &[Base64("deploy:s3cr3t-w0rd")]),
    Form {
        kind: "url-password",
        before: "postgres://app:",
        parts: &[Mixed(14)],
        after: "@db.internal:5432/app",
    },
    assigned("password", "DB_PASSWORD=", &[Mixed(7), Digits(1), Mixed(6)]),
    assigned("password", "Server=db;Uid=sa;Pwd=", &[Mixed(3), Digits(1), Mixed(4)]),
    assigned("told-password", "The password is ", &[Mixed(7), Digits(1), Is("K"), Mixed(6)]),
    assigned("told-password", "mot de passe : ", &[Mixed(7), Digits(1), Is("K"), Mixed(6)]),
    assigned("login-password", "machine git.internal login ada password ", &[Mixed(7), Digits(1), Mixed(6)]),
    assigned("curl-password", "curl -s -u ada:", &[Mixed(7), Digits(1), Mixed(6)]),
    Form {
        kind: "url-password",
        before: "redis://:",
        parts: &[Mixed(6), Digits(1), Mixed(6)],
        after: "@cache.internal:6379",
    },
    Form { kind: "url-password", before: "ftp://a:", parts: &[Mixed(5), Digits(1)], after: "@h" },
    assigned("assigned-secret", "client_secret: ", &[Mixed(24)]),
    assigned("assigned-token", "deploy_token = ", &[Mixed(30)]),
    assigned("assigned-secret", "secret_key_base: ", &[Hex(128)]),
    assigned("assigned-secret", "os.environ[\"API_KEY\"] = \"", &[Mixed(24)]),
    assigned("assigned-key", "RAILS_MASTER_KEY=", &[Hex(32)]),
    assigned("assigned-key", "ENCRYPTION_KEY: ", &[Mixed(32)]),
    assigned("assigned-key", "signing_key = ", &[Mixed(40)]),
    assigned("assigned-key", "PrivateKey = ", &[Mixed(43), Is("=")]),
    assigned("assigned-key", "cl\u{e9} API : ", &[Mixed(32)]),
    assigned("password", "ansible_become_pass=", &[Mixed(7), Digits(1), Mixed(6)]),
    Form { kind: "url-token", before: "https://", parts: &[Hex(40)], after: "@git.internal/a/b.git" },
    assigned("authorization-token", "Authorization: token ", &[Hex(40)]),
    assigned("npm-auth-token", "//registry.npmjs.org/:_authToken=", &[Uuid]),
    assigned("okta-token", "SSWS ", &[Is("00"), Mixed(40)]),
    form("paypal-token", &[Is("access_token"), Is("$production$"), Small(16), Is("$"), Hex(32)]),
    form("tencent-secret-id", &[Is("AK"), Is("ID"), Mixed(32)]),
    assigned("mysql-password", "mysql -u root -p", &[Mixed(7), Digits(1), Mixed(4)]),
    assigned("docker-password", "docker login -u ci -p ", &[Mixed(7), Digits(1), Mixed(4)]),
    assigned("redis-password", "redis-cli -h cache -a ", &[Mixed(7), Digits(1), Mixed(4)]),
    assigned("spoken-password", "the password for admin is ", &[Is("k3"), Mixed(7), Is("Q9x")]),
    assigned("spoken-password", "use the password ", &[Is("k3"), Mixed(7), Is("Q9x")]),
    assigned("spoken-password", "le mot de passe de la base est ", &[Is("k3"), Mixed(7), Is("Q9x")]),
    Form {
        kind: "passed-secret",
        before: "define('DB_PASSWORD', '",
        parts: &[Is("k3"), Mixed(7), Is("Q9x")],
        after: "')",
    },
    assigned("password", "password: ", &[Is("dTHhull"), Is("konWv")]),
    Form {
        kind: "url-password",
        before: "postgres://app:",
        parts: &[Is("QMKwMJ"), Is("GFymwy")],
        after: "@db/prod",
    },
    assigned("github-token", "https://a.test/?token%3D", &[Is("gh"), Is("p_"), Mixed(36)]),
    form("cloudflare-token", &[Is("cf"), Is("ut_"), Mixed(40), Hex(8)]),
    form("azure-ai-key", &[Mixed(52), Is("JQ"), Is("QJ99"), Mixed(26)]),
    form("azure-function-key", &[Mixed(44), Is("Az"), Is("Fu"), Mixed(5), Is("A")]),
    form("together-key", &[Is("tg"), Is("p_v1_"), Mixed(43)]),
    form("fireworks-key", &[Is("fw"), Is("_"), Mixed(24)]),
    form("jina-key", &[Is("ji"), Is("na_"), Mixed(60)]),
    form("firecrawl-key", &[Is("fc"), Is("-"), Hex(32)]),
    form("e2b-key", &[Is("e2"), Is("b_"), Hex(40)]),
    form("discord-mfa-token", &[Is("mf"), Is("a."), Mixed(84)]),
    form("resend-key", &[Is("re"), Is("_"), Mixed(8), Is("_"), Mixed(24)]),
    form("facebook-token", &[Is("EA"), Is("A"), Mixed(160)]),
    form("slack-token", &[Is("xo"), Is("xd-"), Mixed(60), Is("%2B"), Mixed(60)]),
    form("anthropic-key", &[Is("sk-"), Is("ant-sid01-"), Mixed(95)]),
    assigned("docker-auth", "\"auth\": \"", &[Base64("ci:k3J9x2Lm8")]),
    assigned("docker-auth", "registry=1\n_auth=", &[Base64("deploy:k3J9x2Lm8QpW5rT1")]),
    assigned("session-cookie", "Cookie: theme=dark; sid=", &[Mixed(26)]),
    assigned("session-cookie", "Set-Cookie: session_token=", &[Mixed(18)]),
    assigned("assigned-cookie", "PHPSESSID=", &[Small(26)]),
    assigned("cookie-jar", "#HttpOnly_.a.test\tTRUE\t/\tTRUE\t1767225600\tsid\t", &[Mixed(32)]),
    assigned("pgpass-password", "db.internal:5432:app:deploy:", &[Mixed(5), Digits(1), Mixed(6)]),
    assigned("pgpass-password", "*:*:*:deploy:", &[Mixed(5), Digits(1), Mixed(6)]),
    Form {
        kind: "quoted-password",
        before: "DB_PASSWORD=\"",
        parts: &[Is("a,"), Mixed(3), Digits(1), Is(";"), Mixed(4), Is("K)"), Mixed(3)],
        after: "\"",
    },
    assigned("short-password", "pw: ", &[Mixed(7), Digits(1), Mixed(6)]),
    assigned("short-password", "le mdp : ", &[Mixed(7), Digits(1), Mixed(6)]),
    assigned(
        "login-password",
        "machine git.internal\n    login ada\n    password ",
        &[Mixed(7), Digits(1), Mixed(6)],
    ),
    Form {
        kind: "netrc-password",
        before: "machine git.internal password ",
        parts: &[Mixed(7), Digits(1), Mixed(6)],
        after: " login ada",
    },
    assigned("option-password", "tool --passwd ", &[Mixed(7), Digits(1), Mixed(6)]),
    assigned("option-token", "tool --token ", &[Mixed(30)]),
    assigned("user-option", "http --auth ada:", &[Mixed(7), Digits(1), Is("K"), Mixed(6)]),
];
