//! An instance that is stopped between two steps.

use testbed::Proxy;
use tokio::task::JoinHandle;

use crate::call::{Answer, Ask};
use crate::instance::Instance;
use crate::stage::{SHORT, Stage, asking, within};

/// An instance whose ledger and whose datasets can be held apart.
pub(crate) struct Held {
    pub(crate) instance: Instance,
    pub(crate) ledger: Proxy,
    pub(crate) datasets: Proxy,
}

/// An instance with short leases whose charge comes too late.
pub(crate) struct Late {
    pub(crate) instance: Instance,
    pub(crate) ledger: Proxy,
}

impl Held {
    pub(crate) async fn start(stage: &Stage, options: &[(&str, &str)]) -> Held {
        let ledger = Proxy::to(stage.database_url()).await;
        let datasets = Proxy::to(stage.database_url()).await;
        let urls = [
            ledger.url(stage.database_url()),
            datasets.url(stage.database_url()),
        ];
        let urls = [
            ("DATABASE_URL", urls[0].as_str()),
            ("QUERIES_URL", urls[1].as_str()),
        ];
        let instance = stage.instance(&[options, &urls]).await;
        Held {
            instance,
            ledger,
            datasets,
        }
    }

    /// Lets a query go on until the COMMIT of its charge is on the way, and no further.
    pub(crate) async fn until_its_charge_commits(&self) {
        // The hold's own COMMIT has passed by the time that the slow query is sent.
        within("the slow query", self.datasets.caught()).await;
        self.ledger.hold_requests_from("COMMIT");
        self.datasets.pass();
        within("the commit", self.ledger.caught()).await;
    }

    /// Lets the COMMIT through, and keeps what Postgres says to it.
    pub(crate) async fn commit_unheard(&self) {
        self.ledger.hold_replies();
        self.ledger.pass_requests();
        within("the reply to the commit", self.ledger.kept_back()).await;
    }
}

impl Late {
    pub(crate) async fn start(stage: &Stage) -> Late {
        let ledger = Proxy::to(stage.database_url()).await;
        let (held, direct) = (ledger.url(stage.database_url()), stage.database_url());
        let urls = [("DATABASE_URL", held.as_str()), ("QUERIES_URL", direct)];
        let instance = stage.instance(&[&SHORT, &urls]).await;
        Late { instance, ledger }
    }

    /// Asks it, and returns when the charge is on its way to Postgres; it gets no further until the ledger passes.
    pub(crate) async fn charging(&self, ask: &Ask) -> JoinHandle<anyhow::Result<Answer>> {
        self.ledger.hold_requests_from("capture");
        let in_flight = asking(&self.instance, ask);
        within("the late charge", self.ledger.caught()).await;
        in_flight
    }
}
